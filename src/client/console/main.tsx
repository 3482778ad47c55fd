import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './styles.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { passNonceOn } from './app/nonce.ts'

passNonceOn()
const root = document.getElementById('console')
if (!root) throw new Error('The page has no place for the console')
document.getElementById('splash')?.remove()
createRoot(root).render(<App />)

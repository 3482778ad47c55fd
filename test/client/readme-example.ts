import { createClient } from '../../src/client/index.ts'

const { BASE = 'http://127.0.0.1:3000', TOKEN } = process.env
const api = createClient({ baseUrl: BASE, credential: TOKEN })
const { items } = await api.channels.list.query({ limit: 10 })
console.log(items.map(({ username, is_live }) => `${username}${is_live ? ' (live)' : ''}`))

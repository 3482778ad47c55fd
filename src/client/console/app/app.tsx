import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from 'react-router/dom'
import { ConfirmProvider } from '../components/forms/confirm.tsx'
import { StepUpDialog } from '../components/step-up-dialog.tsx'
import { client, queryClient, TrpcProvider } from './api.ts'
import { pageNonce } from './nonce.ts'
import { router } from './router.tsx'
import { resolveVariables, theme } from './theme.ts'

/** The providers that every page relies on, outermost first. */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={pageNonce}
    >
      <QueryClientProvider client={queryClient}>
        <TrpcProvider trpcClient={client} queryClient={queryClient}>
          <ConfirmProvider>
            <StepUpDialog />
            <Notifications position="bottom-right" containerWidth={380} />
            <RouterProvider router={router} />
          </ConfirmProvider>
        </TrpcProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}

import type { MailKind } from './mail-kind.ts'
import { nameOr, shownApplication } from './shown-names.ts'

type Named = { id: string; name: string }
/** How long a webhook has failed: a day, three days, or until it was disabled. */
type WebhookStage = 'failing' | 'ending' | 'disabled'
export type FailingWebhook = {
  id: string
  /** Without its path, which may hold a secret. */
  host: string
  stage: WebhookStage
  /** Since when there is no success; null where the receiver ended it by 410. */
  since: string | null
  /** When it was disabled, or will be. */
  disabledAt: string | null
  /** The last attempt: a status, a class of errors, or null where none is kept. */
  last: number | string | null
}
export type EndingKey = Named & { last4: string; application: string; applicationId: string; endsAt: string }

const minute = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`

const stages = {
  failing: ({ disabledAt }) => `unless an attempt succeeds, it will be disabled after ${minute(disabledAt)}`,
  ending: ({ disabledAt }) => `it will be disabled after ${minute(disabledAt)} unless an attempt succeeds`,
  disabled: ({ disabledAt }) => `it was disabled at ${minute(disabledAt)}, and nothing more is sent`,
} satisfies Record<WebhookStage, (webhook: { disabledAt: string }) => string>

function lastAnswer(last: FailingWebhook['last']): string {
  if (last === null) return ''
  return typeof last === 'number'
    ? ` The last answer had the status ${last}.`
    : ` The last attempt got no answer: ${last}.`
}

function failure({ host, stage, since, disabledAt, last }: FailingWebhook): string {
  const what = since === null ? 'answered 410 (Gone)' : `no success since ${minute(since)}`
  return `${host}: ${what}; ${stages[stage]({ disabledAt: disabledAt ?? '' })}.${lastAnswer(last)}`
}

const worstFirst = ['disabled', 'ending', 'failing'] as const satisfies readonly WebhookStage[]
const subjects: Record<WebhookStage, string> = {
  failing: 'A webhook is failing',
  ending: 'A webhook will be disabled',
  disabled: 'A webhook was disabled',
}

/** Mails that can be switched off. */
export const noticeMails = {
  webhook_notice: {
    switch: 'webhook_notices',
    text: ({ application, webhooks, more }: { application: Named; webhooks: FailingWebhook[]; more: number }) => {
      const worst = worstFirst.find((stage) => webhooks.some((one) => one.stage === stage)) ?? 'failing'
      const [first] = webhooks
      const isOne = webhooks.length === 1 && more === 0
      return {
        subject: `${subjects[worst]}: ${nameOr(application.name, 'an application of yours')}`,
        paragraphs: [
          `Of ${shownApplication(application.name)}:`,
          ...webhooks.map(failure),
          ...(more > 0 ? [`And ${more} more.`] : []),
        ],
        link: {
          words: isOne ? 'Look at the webhook' : 'Look at the webhooks',
          path:
            isOne && first
              ? (`/console/developer/webhooks/${first.id}` as const)
              : (`/console/developer/applications/${application.id}/webhooks` as const),
        },
        closing: ['There is at most one such mail a day for an application.'],
      }
    },
  },
  key_notice: {
    switch: 'key_notices',
    text: ({ keys, more }: { keys: EndingKey[]; more: number }) => {
      const [first] = keys
      const isOneApplication = more === 0 && keys.every(({ applicationId }) => applicationId === first?.applicationId)
      return {
        subject: keys.length + more === 1 ? 'An API key ends soon' : 'API keys end soon',
        paragraphs: [
          ...keys.map(
            ({ name, last4, application, endsAt }) =>
              `${nameOr(`The key ${name}`, 'A key')} (…${last4}) of ${shownApplication(application)} ends at ${minute(endsAt)}. After that it is refused.`,
          ),
          ...(more > 0 ? [`And ${more} more.`] : []),
        ],
        link: {
          words: 'Roll it, or make another',
          path:
            first && isOneApplication
              ? (`/console/developer/applications/${first.applicationId}/keys` as const)
              : '/console/developer/applications',
        },
      }
    },
  },
} satisfies Record<string, MailKind<never>>

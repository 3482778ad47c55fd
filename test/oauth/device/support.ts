import { DEVICE_CODE_GRANT } from '../../../src/shared/grants.ts'
import type { Browser } from '../../support/browser.ts'
import type { TestClient } from '../../support/context.ts'
import { credentials, type Fields } from '../../support/flows.ts'
import { createPeopleApp } from '../../support/people.ts'

export type Device = { device_code: string; user_code: string }

/** What a device and its user do, each on their side. */
export async function createDeviceApp(overrides: Parameters<typeof createPeopleApp>[0] = {}) {
  const app = await createPeopleApp(overrides)
  const ask = (fields: Fields, query = '') =>
    app.request(`POST /oauth/device_authorization${query}`, { body: new URLSearchParams(fields) })
  return {
    ...app,
    ask,
    async begin(of: TestClient = app.native, fields: Fields = { scope: 'user:read chat:read' }) {
      const { body } = await ask({ ...credentials(of), ...fields })
      return body as Device
    },
    poll: (device: Device, of: TestClient = app.native, more: Fields = {}) =>
      app.token({ grant_type: DEVICE_CODE_GRANT, device_code: device.device_code, ...credentials(of), ...more }),
    enter: async (browser: Browser, user_code: string) =>
      browser.submit(await browser.get('/device'), '/device', { user_code }),
    async answer(browser: Browser, { user_code }: Device, decision: string) {
      const question = await browser.submit(await browser.get('/device'), '/device', { user_code })
      return browser.submit(question, '/device', { decision })
    },
  }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { findChromium, launchChromium, logIn } from '../support/chromium.ts'
import { filesOf } from '../support/documents.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'
import { expectSize } from '../support/sizes.ts'
import { serveByNext } from './next.ts'
import { expectChecked, installPacked, project, resolutions, siteWith, write } from './packed.ts'
import { bundleOf, servePage } from './vite.ts'

const name = '@developer-api/sdk'
const readme = readFileSync(join(project, 'sdk/typescript/README.md'), 'utf8')
const examples = filesOf(readme)

const chromiumPath = findChromium()
if (!chromiumPath)
  process.stderr.write('There is no Chromium here: the page of the README is not opened (apt install chromium)\n')

let app: PeopleApp
let outside: ReturnType<typeof installPacked>
let site: ReturnType<typeof siteWith>

beforeAll(async () => {
  const { wake, onWake } = new WakeHub()
  app = await createPeopleApp({ wake, onWake })
  outside = installPacked('pack-sdk.mjs', name)
  site = siteWith({ [outside.path]: [name] })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  for (const folder of [outside, site]) folder[Symbol.dispose]()
})

describe('@developer-api/sdk, from its tarball', () => {
  test('depends on nothing, and is as small as its README says', async () => {
    const { dependencies, peerDependencies } = JSON.parse(outside.read('package.json'))
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined])
    expectSize(outside.packedBytes, readme, /Packed it has less than (\d+) kB/)
    const code = await bundleOf(join(outside.path, 'node_modules', name, 'dist/index.js'))
    expectSize(gzipSync(code).length, readme, /adds less than (\d+) kB to a page/)
    expect(code).not.toMatch(/from\s*["']node:|require\(/) // nor on a platform
  })

  test.each(resolutions)('is checked whole by TypeScript, as %s resolves modules', (moduleResolution) => {
    write(outside.path, {
      'program.ts': `import { DeveloperApi, webhooks, type WebhookEvent } from '@developer-api/sdk'
const api = new DeveloperApi({ baseUrl: 'http://localhost', credential: 'x' })
export async function run(headers: Headers, body: Uint8Array<ArrayBuffer>) {
  for await (const event of api.events.follow({ types: ['chat.message.sent', 'livestream.started'] })) {
    if (event.type === 'chat.message.sent') await api.chat.send({ room_name: event.data.room_name, content: 'x' })
    // @ts-expect-error a live stream has no content
    else event.data.content
  }
  const event: WebhookEvent = await webhooks.unwrap('whsec_', headers, body)
  // @ts-expect-error no such type
  if (event.type === 'no.such.type') return
  // @ts-expect-error no such field
  await api.channels.list({ page: 2 }).page()
}
`,
    })
    expectChecked(outside.path, moduleResolution, { files: ['program.ts'] })
  })

  test.each(resolutions)('has its README’s page and server component checked too, as %s does', (moduleResolution) => {
    const env = 'interface ImportMeta { env: Record<"VITE_API" | "VITE_CLIENT_ID", string> }'
    write(site.path, { ...examples, 'env.d.ts': env })
    expectChecked(site.path, moduleResolution, { types: ['node'], files: ['env.d.ts', 'page.tsx', 'app/page.tsx'] })
  })

  test('asks at each visit of a server component of Next.js: the one of the README', async () => {
    const { body } = await app.forApplication(app.client, { scope: 'livestream:read' })
    const env = { API: app.base, API_KEY: body.access_token }
    await using next = await serveByNext(site.path, examples['app/page.tsx'] ?? '', env)
    expect(await next.show()).toContain('<ul></ul>')
    const { access_token: token } = await app.newGrant(app.client, ['livestream:write'], app.grace)
    await app.request('POST /trpc/livestreams.start', { token, body: { title: 'Hello, Next' } })
    expect(await next.show()).toContain('<li>grace: Hello, Next</li>')
  })

  test.skipIf(chromiumPath === undefined)(
    'logs in and shows a chat in a page by Vite and React: the one of the README',
    async () => {
      write(site.path, {
        ...examples,
        'index.html': '<html lang="en"><body><script type="module" src="/page.tsx"></script></body></html>',
        '.env': `VITE_API=${app.base}\nVITE_CLIENT_ID=${app.native.id}`,
      })
      await using built = await servePage(site.path)
      await using chromium = await launchChromium(chromiumPath ?? '')
      const { page, faults } = await chromium.visit()
      await page.goto(`${built.base}/callback`)
      await page.getByRole('button', { name: 'Show my chat' }).click()
      await logIn(page, { username: 'grace', password: PASSWORD })
      const opened = page.waitForResponse((response) => response.url().includes('/v1/events'))
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await opened
      const { access_token: token } = await app.newGrant(app.native, ['chat:write'], app.grace)
      await app.request('POST /v1/chat/messages', { token, body: { room_name: 'grace', content: 'Hello, React' } })
      await page.getByText('grace: Hello, React').waitFor()
      expect(new URL(page.url()).search).toBe('')
      expect(faults).toEqual([])
    },
  )
})

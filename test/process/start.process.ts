import { expect, test, vi } from 'vitest'
import { folderWithCluster, startProcess } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000 }) // processes start, and on a busy machine that takes its time

/** Runs in the service before anything else, and hears of every document that is made. */
const whenMade = (code: string) =>
  `data:text/javascript,${encodeURIComponent(`
    const { stringify } = JSON
    const made = (kind) => { ${code} }
    JSON.stringify = (...given) => {
      for (const kind of ['openapi', 'asyncapi']) if (typeof given[0]?.[kind] === 'string') made(kind)
      return stringify(...given)
    }`)}`

const startWatched = (DATA_DIR: string, code: string) =>
  startProcess({ DATA_DIR, DEMO_DATA: 'off' }, ['--import', whenMade(code), 'dist/main.js'])

test('the documents are made before the service is ready, and not again for whoever asks for them', async () => {
  using folder = folderWithCluster()
  await using service = await startWatched(folder.path, "process.stderr.write('made ' + kind + '\\n')")
  const made = () => service.output.text.stderr.match(/^made .*$/gm) ?? []
  await service.output.holds(/is ready/)
  const atStart = made()
  expect(atStart.toSorted()).toEqual(['made asyncapi', 'made openapi', 'made openapi'])
  for (const name of ['openapi', 'openapi.extensions', 'asyncapi', 'events/schemas']) {
    expect((await fetch(`${service.base}/${name}.json`)).status).toBe(200)
  }
  expect(made()).toEqual(atStart)
})

test('a service whose documents cannot be made does not start, and says why', async () => {
  using folder = folderWithCluster()
  await using service = await startWatched(folder.path, "throw new Error(kind + ' cannot be made')")
  expect(await Promise.race([service.ended, service.output.holds(/is ready/)])).toBe(1)
  expect(service.output.text.stderr).toBe('developer-api: openapi cannot be made\n')
  expect(service.output.text.stdout, 'what has not started has not stopped').not.toContain('Stopped')
})

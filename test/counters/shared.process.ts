import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { redisCounters, sharedCounterMetrics } from '../../src/counters/shared-counters.ts'
import { freePort } from '../support/free-port.ts'
import { asPromised, whatCounts } from './scenario.ts'

const REDIS = '/usr/bin/redis-server'

test('the primary of a cluster counts as a process of its own does', async () => {
  const script = fileURLToPath(new URL('./cluster-run.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script])
  expect(JSON.parse(stdout)).toEqual(asPromised)
})

test.skipIf(!existsSync(REDIS))(
  'Redis counts as a process of its own does; once it has gone nothing fails',
  async () => {
    const port = await freePort()
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    const server = spawn(REDIS, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    for await (const chunk of server.stdout) if (String(chunk).includes('Ready to accept connections')) break
    await using counters = await redisCounters(`redis://127.0.0.1:${port}`)
    expect(await whatCounts(counters)).toEqual(asPromised)
    expect(sharedCounterMetrics.areAway).toBe(false)

    const taken = await counters.take({ name: 'kept', points: 1, windowS: 60 }, 'a')
    server.kill('SIGKILL')
    await once(server, 'exit')
    await taken.giveBack()
    expect(sharedCounterMetrics.areAway).toBe(true)
  },
)

import { expect, test } from 'vitest'
import { systemResolver } from '../../src/domain/webhooks/http/dns.ts'
import { NXDOMAIN, OK, SERVFAIL, startNameServer } from './support/name-server.ts'

test('all addresses of a name come back, whatever they are: they are judged later', async () => {
  using server = await startNameServer({ code: OK, addresses: ['93.184.216.34', '127.0.0.1'] })
  expect(await server.resolve('hooks.customer.com')).toEqual([
    { address: '93.184.216.34', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ])
})

test.for([
  ['does not exist', { code: NXDOMAIN }, 'E_DNS'],
  ['has no address', { code: OK }, 'E_DNS'],
  ['cannot be looked up', { code: SERVFAIL }, 'E_DNS'],
  ['meets silence', 'silence', 'E_DNS_TIMEOUT'],
] as const)('a name that %s: %3$s', async ([, answer, errorClass]) => {
  using server = await startNameServer(answer)
  await expect(server.resolve('hooks.customer.com')).rejects.toMatchObject({ errorClass })
})

test('the system’s resolver knows localhost, and its failures have the class too', async () => {
  expect((await systemResolver('localhost')).map(({ address }) => address)).toContain('127.0.0.1')
  await expect(systemResolver('no such name')).rejects.toMatchObject({ errorClass: 'E_DNS' })
})

import type { Redis } from 'ioredis'
import type { Limit } from './counters.ts'
import type { Windows } from './windows.ts'

/** A window is a hash that expires with it. */
const scripts = {
  takeFromWindow: {
    numberOfKeys: 1,
    lua: `
local window = redis.call('hmget', KEYS[1], 'id', 'used')
local id, used = window[1], tonumber(window[2])
if not id then
  id, used = ARGV[3], 0
  redis.call('hset', KEYS[1], 'id', id, 'used', used)
  redis.call('expire', KEYS[1], ARGV[2])
end
local counted = used < tonumber(ARGV[1])
if counted then used = redis.call('hincrby', KEYS[1], 'used', 1) end
return { id, used, redis.call('pttl', KEYS[1]), counted and 1 or 0 }`,
  },
  peekAtWindow: {
    numberOfKeys: 1,
    readOnly: true,
    lua: `
local window = redis.call('hmget', KEYS[1], 'id', 'used')
return window[1] and { window[1], tonumber(window[2]), redis.call('pttl', KEYS[1]) }`,
  },
  giveBackToWindow: {
    numberOfKeys: 1,
    lua: `if redis.call('hget', KEYS[1], 'id') == ARGV[1] then redis.call('hincrby', KEYS[1], 'used', -1) end`,
  },
}

/** What the client gains by its scripts. */
type Scripted = {
  takeFromWindow(
    key: string,
    points: number,
    windowS: number,
    id: string,
  ): Promise<[id: string, used: number, leftMs: number, isCounted: 0 | 1]>
  peekAtWindow(key: string): Promise<[id: string, used: number, leftMs: number] | null>
  giveBackToWindow(key: string, id: string): Promise<null>
}

/** Windows that all processes share in one Redis. */
export function redisWindows(client: Redis): (limit: Limit) => Windows {
  for (const [name, script] of Object.entries(scripts)) client.defineCommand(name, script)
  const scripted = client as Redis & Scripted // by these commands
  return ({ name, windowS }) => {
    const keyOf = (slot: string) => `developer-api:window:${name}:${slot}`
    return {
      async take(slot, points, newId) {
        const [id, used, leftMs, isCounted] = await scripted.takeFromWindow(keyOf(slot), points, windowS, newId)
        return { id, used, leftMs, isCounted: isCounted === 1 }
      },
      async peek(slot) {
        const found = await scripted.peekAtWindow(keyOf(slot))
        if (found === null) return undefined
        const [id, used, leftMs] = found
        return { id, used, leftMs }
      },
      async giveBack(slot, id) {
        await scripted.giveBackToWindow(keyOf(slot), id)
      },
    }
  }
}

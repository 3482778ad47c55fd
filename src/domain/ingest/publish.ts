import { statement } from '../../db/statement.ts'
import { isWellFormed } from '../access/token-format.ts'
import type { Context, UserContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { countAllOrRefuse, countOrRefuse, countsByAddress, rateLimits } from '../core/rate-limits.ts'
import { transact } from '../core/transaction.ts'
import { livestreamOf, startLivestream } from '../livestreams.ts'
import { attachLivestream, claimChannel } from './connections.ts'

/** What a media server says of an encoder. */
export type EncoderCall = {
  key: string
  /** The connection, by the name that the media server has for it. */
  connection: string
  /** Under which name it publishes, where that is not the key: viewers see it. */
  name?: string | undefined
  /** Of the encoder, as the media server saw it. */
  address?: string | undefined
}

type Channel = { id: string; username: string }

const findChannel = statement<[hash: Buffer], Channel>(`
  select u.id, u.username from stream_keys k join users u on u.id = k.channel_id
   where k.hash = $1 and u.disabled_at is null`)

const noteUse = statement<[channelId: string], never>(
  `update stream_keys set last_used_at = statement_timestamp() where channel_id = $1`,
)

/** The title and the category of the channel's live stream before. */
const lastTime = statement<[channelId: string], { title: string | null; category: string | null }>(
  `select title, category_slug as category from livestreams where channel_id = $1 order by id desc limit 1`,
)

/**
 * An encoder begins to publish, or comes back: its channel goes live, unless it is. Throws `invalid_token` and, for many wrong
 * keys from one address or for an encoder that comes back without end, `rate_limited`; `already_live` while another encoder
 * publishes; `forbidden` for another name than the channel's.
 */
export async function publish(ctx: Context, call: EncoderCall): Promise<Channel> {
  const [channel] = isWellFormed('stream', call.key) ? await findChannel(ctx.db, sha256(call.key)) : []
  if (!channel) return refuseKey(ctx, call)
  if (call.name !== undefined && call.name !== channel.username)
    throw new Problem('forbidden', 'The key is of another channel: publish under the name of its own.')
  await countOrRefuse(ctx, rateLimits.publishing, call.key, 'The encoder comes back too often.')
  await transact(ctx, async (tx) => {
    if (!(await claimChannel(tx, channel.id, call.connection)))
      throw new Problem('already_live', 'Another encoder publishes to this channel.')
    const live = (await livestreamOf(tx.db, channel.id))[0] ?? (await startAgain(tx, channel))
    await attachLivestream(tx, channel.id, live.id)
    await noteUse(tx.db, channel.id)
  })
  return channel
}

async function startAgain(ctx: Context, channel: Channel) {
  const [before = {}] = await lastTime(ctx.db, channel.id)
  return startLivestream(onBehalfOf(ctx, channel), before)
}

/** The channel's own user, for what its encoder does. */
export function onBehalfOf<Of extends Context>(ctx: Of, { id, username }: Channel): Of & UserContext {
  return { ...ctx, principal: { kind: 'user', userId: id, username, clientId: null, scopes: [] } }
}

/** The right key passes all the same: encoders behind one address, such as that of a relay, must not stop each other. */
async function refuseKey(ctx: Context, { address = 'unknown' }: EncoderCall): Promise<never> {
  await countAllOrRefuse(ctx, countsByAddress(rateLimits.streamKey, address), 'Too many wrong stream keys.')
  throw new Problem('invalid_token', 'The stream key is invalid, or was rolled or revoked.')
}

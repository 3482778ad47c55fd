/** The number of a message and when it was sent, within its content; both go to all who watch. */
const MARK = /~(\d+) (\d+\.\d+)~/

/** Milliseconds by a clock that processes of one machine share. */
export const nowMs = () => performance.timeOrigin + performance.now()

export const contentOf = (number: number) => `hello to all who watch ~${number} ${nowMs().toFixed(3)}~`

export function markIn(text: string): { number: number; sentMs: number } | undefined {
  const [, number, sentMs] = MARK.exec(text) ?? []
  return number === undefined ? undefined : { number: Number(number), sentMs: Number(sentMs) }
}

/** A message as the service shows it. */
export const messageOf = (id: string, room_name: string, content: string) => ({
  id,
  room_name,
  user_name: 'streamer',
  user_identity: '00000000-0000-7000-8000-000000000000',
  content,
  type: 'text',
  created_at: new Date().toISOString(),
})

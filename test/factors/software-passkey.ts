import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

type Options = { challenge: string; rpId?: string; rp?: { id?: string } }
type Signing = { origin?: string; isVerified?: boolean; counter?: number; userHandle?: string }

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const url = (data: Buffer) => data.toString('base64url')

/** What CBOR (RFC 8949) has of which a passkey speaks: numbers, bytes, texts and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])])
  throw new Error('not needed')
}
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

/** A passkey as a phone or a key makes it, in software: it counts its signatures unless told what to say. */
export function softwarePasskey(ownOrigin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinate = (text: string) => Buffer.from(text, 'base64url')
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, coordinate(x)],
    [-3, coordinate(y)],
  ])
  const id = randomBytes(32)
  let signed = 0

  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const authenticatorData = (rpId: string, flags: number, counter: number, more = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, more])
  }
  const flagsOf = (isVerified: boolean) => 0x01 | (isVerified ? 0x04 : 0)
  const credential = { id: url(id), rawId: url(id), type: 'public-key' as const, clientExtensionResults: {} }

  return {
    id: url(id),
    /** Answers `navigator.credentials.create`; with another attestation than none when told. */
    create(
      { challenge, rp }: Options,
      { origin = ownOrigin, isVerified = true }: Signing = {},
      attestation?: Map<string, unknown>,
    ) {
      const length = Buffer.from([0, id.length])
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cbor(cose)])
      const authData = authenticatorData(rp?.id ?? '', flagsOf(isVerified) | 0x40, signed, attested)
      const object =
        attestation ??
        new Map<string, unknown>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
        ])
      const response = {
        clientDataJSON: url(clientData('webauthn.create', challenge, origin)),
        attestationObject: url(cbor(new Map([...object, ['authData', authData]]))),
      }
      return { ...credential, response }
    },
    /** Answers `navigator.credentials.get`. */
    get(
      { challenge, rpId = '' }: Options,
      { origin = ownOrigin, isVerified = true, counter = ++signed, userHandle }: Signing = {},
    ) {
      const data = authenticatorData(rpId, flagsOf(isVerified), counter)
      const json = clientData('webauthn.get', challenge, origin)
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(json)]))
        .sign(privateKey)
      const response = {
        clientDataJSON: url(json),
        authenticatorData: url(data),
        signature: url(signature),
        ...(userHandle !== undefined && { userHandle }),
      }
      return { ...credential, response }
    },
  }
}

import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** What a key is for. Each use has keys of its own, derived from `SECRET_KEYS` (HKDF-SHA256, RFC 5869). */
export type Purpose =
  | 'webhook-secret'
  | 'idempotent-answer'
  | 'refresh-successor'
  | 'consent-ticket'
  | 'cursor'
  | 'form'
  | 'device'
  | 'totp-secret'
  | 'mail'
  | 'user-code'
  | 'signing-key'
  | 'passkey-challenge'

export type OneOrMore<Item> = readonly [Item, ...Item[]]

export type Sealed = { ciphertext: Buffer; keyId: string }

type NamedSecret = { id: string; secret: string }

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The keys of `SECRET_KEYS`: the first one signs and encrypts, all of them verify and decrypt. */
export class Keyring {
  readonly #secrets: OneOrMore<NamedSecret>
  readonly #derived = new Map<string, Buffer>()

  constructor(secrets: OneOrMore<string>) {
    this.#secrets = mapEach(secrets, (secret) => ({ id: idOf(secret), secret }))
  }

  /** The key that signs and encrypts now. */
  get currentId(): string {
    return this.#secrets[0].id
  }

  /** All 32-byte keys for a purpose, the current one first. */
  keysFor(purpose: Purpose): OneOrMore<Buffer> {
    return mapEach(this.#secrets, ({ id }) => this.#key(purpose, id))
  }

  /** HMAC-SHA256 of a text under every key, the current one first. */
  macs(purpose: Purpose, text: string): OneOrMore<Buffer> {
    return mapEach(this.keysFor(purpose), (key) => createHmac('sha256', key).update(text).digest())
  }

  /** AES-256-GCM under the current key. `owner` is authenticated too, so the text cannot be opened for another owner. */
  seal(purpose: Purpose, owner: string, text: string): Sealed {
    const keyId = this.currentId
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key(purpose, keyId), nonce).setAAD(Buffer.from(owner))
    const ciphertext = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return { ciphertext, keyId }
  }

  /** The text that `seal` was given. Throws when the key is no longer in `SECRET_KEYS`, and for another owner. */
  open(purpose: Purpose, owner: string, { ciphertext, keyId }: Sealed): string {
    const nonce = ciphertext.subarray(0, NONCE_BYTES)
    const tag = ciphertext.subarray(-TAG_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#key(purpose, keyId), nonce)
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag)
    const text = decipher.update(ciphertext.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  }

  #key(purpose: Purpose, id: string): Buffer {
    const cached = this.#derived.get(`${purpose} ${id}`)
    if (cached) return cached
    const found = this.#secrets.find((one) => one.id === id)
    if (!found) throw new Error(`SECRET_KEYS lacks the key ${id}, with which this ${purpose} was sealed`)
    const key = Buffer.from(hkdfSync('sha256', found.secret, '', purpose, 32))
    this.#derived.set(`${purpose} ${id}`, key)
    return key
  }
}

function mapEach<Item, Result>([first, ...others]: OneOrMore<Item>, work: (item: Item) => Result): OneOrMore<Result> {
  return [work(first), ...others.map(work)]
}

/** Names a key without revealing it. */
const idOf = (secret: string) =>
  createHash('sha256').update(`developer-api key id\0${secret}`).digest('hex').slice(0, 12)

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { CurfewError } from '@curfew/core'
import { parseJson } from '@curfew/core/internal'

/** The key of a box: a passphrase, or a file of random bytes. */
export type BoxKey =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly path: string }

/** Authenticated together with the content, so that its parameters cannot be weakened and its salt cannot be swapped. */
interface Header {
  readonly curfew: 'secrets'
  readonly version: 1
  readonly cipher: 'aes-256-gcm'
  readonly kdf: 'scrypt' | 'hkdf-sha256'
  /** Only for scrypt, which a passphrase requires and random bytes do not. */
  readonly cost?: number
  readonly salt: string
  readonly iv: string
}

interface Box extends Header {
  readonly tag: string
  readonly data: string
}

/** 128 MiB and about half a second, as OWASP recommends for passphrases. */
const scryptCost = 2 ** 17
const maxScryptCost = 2 ** 20
const blockSize = 8

/** Encrypts a string with a new salt and nonce. */
export async function sealBox(text: string, key: BoxKey): Promise<string> {
  const header: Header = {
    curfew: 'secrets',
    version: 1,
    cipher: 'aes-256-gcm',
    ...(key.kind === 'passphrase' ? { kdf: 'scrypt', cost: scryptCost } : { kdf: 'hkdf-sha256' }),
    salt: randomBytes(16).toString('base64'),
    iv: randomBytes(12).toString('base64'),
  }
  const cipher = createCipheriv(header.cipher, await deriveKey(header, key), Buffer.from(header.iv, 'base64'))
  cipher.setAAD(Buffer.from(JSON.stringify(header)))
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64')
  return `${JSON.stringify({ ...header, tag: cipher.getAuthTag().toString('base64'), data }, null, 2)}\n`
}

/** Decrypts a box. Throws an error with the file's name if the key is wrong or the box was modified. */
export async function openBox(sealed: string, key: BoxKey, file: string): Promise<string> {
  const { tag, data, ...header } = parseBox(sealed, file)
  try {
    const derived = await deriveKey(header, key)
    const decipher = createDecipheriv(header.cipher, derived, Buffer.from(header.iv, 'base64'), {
      authTagLength: 16,
    })
    decipher.setAAD(Buffer.from(JSON.stringify(header)))
    decipher.setAuthTag(Buffer.from(tag, 'base64'))
    return Buffer.concat([decipher.update(data, 'base64'), decipher.final()]).toString('utf8')
  } catch (error) {
    const source = key.kind === 'file' ? `the key in ${key.path}` : 'the passphrase'
    throw unusable(file, `cannot be decrypted: ${source} is wrong, or the file was modified`, error)
  }
}

function parseBox(sealed: string, file: string): Box {
  let box: Partial<Box>
  try {
    box = Object(parseJson(sealed))
  } catch (error) {
    throw unusable(file, 'is damaged: it is not JSON', error)
  }
  const { curfew, version, cipher, kdf, cost, salt, iv, tag, data } = box
  if (curfew !== 'secrets') throw unusable(file, 'is not a Curfew secrets file')
  if (version !== 1) throw unusable(file, `expected version 1, got ${String(version)}; update Curfew`)
  const fields = [salt, iv, tag, data]
  const isValid =
    cipher === 'aes-256-gcm' &&
    (kdf === 'hkdf-sha256' || (kdf === 'scrypt' && isCost(cost))) &&
    fields.every((field) => typeof field === 'string')
  if (!isValid) throw unusable(file, 'is damaged')
  // In the order of `sealBox`, because the order is authenticated, too.
  return {
    curfew,
    version,
    cipher,
    kdf,
    ...(cost !== undefined && { cost }),
    salt: salt!,
    iv: iv!,
    tag: tag!,
    data: data!,
  }
}

/** scrypt requires a power of two. */
function isCost(cost: unknown): boolean {
  return typeof cost === 'number' && cost >= 2 && cost <= maxScryptCost && Number.isInteger(Math.log2(cost))
}

async function deriveKey({ kdf, cost, salt }: Header, key: BoxKey): Promise<Buffer> {
  const saltBytes = Buffer.from(salt, 'base64')
  const material = key.kind === 'passphrase' ? Buffer.from(key.passphrase.normalize('NFKC')) : key.bytes
  if (kdf === 'hkdf-sha256') return Buffer.from(hkdfSync('sha256', material, saltBytes, 'curfew secrets', 32))
  const options = { N: cost!, r: blockSize, p: 1, maxmem: 130 * cost! * blockSize }
  return (await promisify<Uint8Array, Buffer, number, object, Buffer>(scrypt as never)(
    material,
    saltBytes,
    32,
    options,
  )) as Buffer
}

function unusable(file: string, problem: string, cause?: unknown): CurfewError {
  return new CurfewError('SECRETS_UNAVAILABLE', `${file}: ${problem}`, { field: file, cause })
}

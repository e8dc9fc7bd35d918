import { createHash } from 'node:crypto'

/** Names of tools as providers accept them, and back. */
export interface WireNames {
  toWire(name: string): string
  /** Names that are not in the list are returned unchanged: the model made them up. */
  fromWire(wireName: string): string
}

/** What all providers accept. The runtime also allows dots, slashes, and 128 characters. */
const pattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/** Not `constructor` or `__proto__`: the providers' packages look names up in plain objects. */
function isAccepted(name: string): boolean {
  return pattern.test(name) && !(name in Object.prototype)
}

/** Independent of the order and number of other tools, so that a request does not change with them. */
export function createWireNames(names: Iterable<string>): WireNames {
  const fromWire = new Map<string, string>()
  for (const name of names) if (!isAccepted(name)) fromWire.set(wireName(name), name)
  return { toWire: wireName, fromWire: (wire) => fromWire.get(wire) ?? wire }
}

const maxReadable = 51

/** The hash keeps `a.b` and `a/b` apart. */
function wireName(name: string): string {
  if (isAccepted(name)) return name
  const readable = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_')
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 12)
  return `${readable.slice(0, maxReadable)}_${hash}`
}

import type { Random } from './random.ts'

/** What means something in a protocol, so that mutations get past its first checks. */
export interface Vocabulary {
  readonly keys: readonly string[]
  readonly strings: readonly string[]
  /** Members such as `"id":7`, which are repeated. */
  readonly members: readonly string[]
}

/** Returns a message as bytes, with its structure, its bytes or both mutated, and without a trailing newline. */
export function mutateJson(random: Random, message: object, vocabulary: Vocabulary): Buffer {
  let value: unknown = structuredClone(message)
  for (let times = random.below(3); times >= 0; times--) value = mutateStructure(random, value, vocabulary)
  const text = fillIn(random, JSON.stringify(value) ?? '')
  const bytes = Buffer.from(random.once(8) ? repeatMember(random, text, vocabulary) : text)
  return random.once(4) ? mutateBytes(random, bytes) : bytes
}

const placeholder = (name: string): string => `@${name}@`

/** Unexpected values. Placeholders represent values that `JSON.stringify` cannot write. */
const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  '',
  'x',
  '2.0',
  '__proto__',
  'constructor',
  '\u0000\u001b[31m\u202e',
  '\ud800',
  [],
  [[]],
  {},
  { toString: 1, valueOf: 1 },
  // biome-ignore lint/suspicious/noThenProperty: it is odd on purpose
  { toJSON: 1, then: 1, length: -1 },
  { constructor: { prototype: { polluted: true } } },
  placeholder('proto'),
  placeholder('deep'),
  placeholder('infinity'),
  placeholder('minus-zero'),
  placeholder('long-number'),
  placeholder('long'),
]

const oddKeys = ['__proto__', 'constructor', 'toString', 'then', '']

function mutateStructure(random: Random, value: unknown, { keys, strings }: Vocabulary): unknown {
  const oddKey = (): string => random.pick(random.once(3) ? oddKeys : keys)
  const places = placesIn(value)
  if (places.length === 0 || random.once(30)) return random.pick([[value], [value, value], pickOdd(random)])
  const { holder, key } = random.pick(places)
  const parent = holder as Record<string, unknown>
  switch (random.below(7)) {
    case 0:
      delete parent[key]
      break
    case 1:
      parent[oddKey()] = structuredClone(parent[key])
      break
    case 2: {
      const other = random.pick(places)
      parent[key] = structuredClone((other.holder as Record<string, unknown>)[other.key])
      break
    }
    case 3:
      if (typeof parent[key] === 'string') parent[key] = random.pick(strings)
      else parent[oddKey()] = pickOdd(random)
      break
    default:
      parent[key] = pickOdd(random)
  }
  return value
}

/** Returns a copy, which may be mutated further. */
function pickOdd(random: Random): unknown {
  return structuredClone(random.pick(odd))
}

interface Place {
  readonly holder: object
  readonly key: string
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [{ holder: value, key }, ...placesIn(child)])
}

function fillIn(random: Random, text: string): string {
  return text.replaceAll(/"@([a-z-]+)@"/g, (_, name: string) => {
    switch (name) {
      case 'deep': {
        const levels = random.pick([150, 199, 201, 1_000, 20_000])
        const [open, close] = random.pick([
          ['[', ']'],
          ['{"a":', '}'],
          ['{"_meta":', '}'],
        ])
        return `${open!.repeat(levels)}1${close!.repeat(levels)}`
      }
      case 'proto':
        return '{"__proto__":{"polluted":true},"__proto__":1}'
      case 'infinity':
        return random.pick(['1e400', '-1e999'])
      case 'minus-zero':
        return '-0'
      case 'long-number':
        return '9'.repeat(random.pick([25, 400, 5_000]))
      default:
        return JSON.stringify('x'.repeat(random.pick(random.once(40) ? [5 << 20, 11 << 20] : [300, 70_000])))
    }
  })
}

/** Repeats a member of the object: parsers differ in which one counts. */
function repeatMember(random: Random, text: string, { members }: Vocabulary): string {
  const member = random.pick(members)
  if (!text.startsWith('{"')) return text
  return random.once(2) ? `{${member},${text.slice(1)}` : `${text.slice(0, -1)},${member}}`
}

const oddBytes = [
  ...['\n', '\r\n', '\r', '\0', '\ufeff', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'é', '\u2028'],
  '\n\n{"jsonrpc":"2.0"}\n',
  'data: ',
].map((text) => Buffer.from(text))
const brokenBytes = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]].map((list) =>
  Buffer.from(list),
)

/** Cuts, removes, repeats or inserts bytes. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1)
  const to = at + random.below(Math.min(bytes.length - at, 40) + 1)
  const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
  switch (random.below(5)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, middle, middle, after])
    case 3:
      return Buffer.concat([before, Buffer.from([random.below(256)]), after])
    default:
      return Buffer.concat([before, random.pick([...oddBytes, ...brokenBytes]), bytes.subarray(at)])
  }
}

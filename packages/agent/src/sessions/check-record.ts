import { checkParts, describeValue, messageOf } from '@curfew/core/internal'
import type { UserPart } from '../history/history-item.ts'
import { type SessionHeader, type SessionRecord, sessionVersion } from './session-record.ts'

/** Of parts, results, calls and tools in one record. */
const maxEntries = 100_000
/** Numbers beyond it can still be added up exactly. */
const maxItemId = 2 ** 50

/** Copies and validates a record. `null` if its type is unknown. Throws an error that names the field. */
export function checkRecord(value: unknown): SessionRecord | null {
  const source = object(value, 'record')
  const type = text(source.type, 'type')
  if (!Object.hasOwn(records, type)) return null
  return { type, ...copy(source, '', records[type as SessionRecord['type']]) } as SessionRecord
}

/** The same for the first line. */
export function checkHeader(value: unknown): SessionHeader {
  const source = object(value, 'header')
  if (source.type !== 'session') throw expected('type', '"session" in the first line', source.type)
  if (source.version !== sessionVersion) {
    throw expected(
      'version',
      `${sessionVersion}, the only version that this release can read`,
      source.version,
    )
  }
  return { type: 'session', version: sessionVersion, ...copy(source, '', header) } as SessionHeader
}

/** What a person sends, before it becomes an item. */
export function checkUserParts(value: unknown): UserPart[] {
  return userParts(value, 'parts') as UserPart[]
}

/** Returns a copy, or `undefined` for what may be left out. */
type Check<T = unknown> = (value: unknown, at: string) => T
type Fields = Readonly<Record<string, Check>>
type Source = Readonly<Record<string, unknown>>

const text: Check<string> = is('a string', (value) => typeof value === 'string')
const count: Check = is(
  'a number that is not negative',
  (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
)
const itemId: Check = is(
  'the number of an item',
  (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxItemId,
)
const flag: Check = (value) => value === true || undefined

const header: Fields = {
  id: text,
  createdAt: count,
  project: text,
  model: text,
  forkedFrom: optional(text),
}

const metadata: Check = optional(
  entries((value, at) => {
    // Providers convert values to strings, which throws for `{ "toString": 1 }`.
    if (/"toString":/.test(JSON.stringify(object(value, at)))) throw expected(at, 'no key "toString"', value)
    return value
  }),
)
const userParts: Check = list(
  variants({ text: { text }, file: { data: text, mediaType: text, name: optional(text) } }),
)
const assistantPart: Check = variants({
  text: { metadata, text },
  reasoning: { metadata, text },
  call: { metadata, callId: text, name: text, input: (value) => value },
})
const result: Check = fields({
  callId: text,
  name: text,
  status: oneOf(['success', 'error', 'cancelled']),
  code: optional(text),
  content: text,
  parts: optional((value, at) => {
    try {
      return checkParts(value)
    } catch (error) {
      throw new Error(at.replace(/parts$/, () => messageOf(error)))
    }
  }),
  spillPath: optional(text),
  loaded: flag,
})
const base: Fields = { id: itemId, at: count }
const item: Check = variants({
  user: { ...base, source: oneOf(['person', 'summary']), parts: userParts },
  assistant: { ...base, model: text, parts: list(assistantPart), incomplete: flag },
  results: { ...base, results: list(result) },
})
const records: Readonly<Record<SessionRecord['type'], Fields>> = {
  item: { item },
  calls: { calls: list(fields({ callId: text, name: text, startedAt: count })) },
  counts: {
    continuations: count,
    usage: entries((value, at) => (value === null ? null : count(value, at))),
    turns: optional(count),
  },
  loaded: { tools: list(text) },
  model: { model: text },
  removed: { before: itemId, keep: optional(list(itemId)) },
  rewound: { position: itemId },
  end: { reason: text, turns: optional(count) },
}

function is<T>(what: string, test: (value: unknown) => boolean): Check<T> {
  return (value, at) => {
    if (!test(value)) throw expected(at, what, value)
    return value as T
  }
}

function oneOf(names: readonly string[]): Check<string> {
  const quoted = names.map((name) => JSON.stringify(name)).join(', ')
  return is(quoted.replace(/, (?=[^,]*$)/, ' or '), (value) => names.includes(value as string))
}

function optional(check: Check): Check {
  return (value, at) => (value === undefined ? undefined : check(value, at))
}

function list(check: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw expected(at, 'an array', value)
    if (value.length > maxEntries)
      throw new Error(`${at}: expected at most ${maxEntries} entries, got ${value.length}`)
    return value.map((entry, index) => check(entry, `${at}[${index}]`))
  }
}

function entries(check: Check): Check {
  return (value, at) => {
    const checked = Object.entries(object(value, at)).map(([name, entry]) => [
      name,
      check(entry, `${at}.${name}`),
    ])
    return Object.fromEntries(checked)
  }
}

function fields(shape: Fields): Check {
  return (value, at) => copy(object(value, at), `${at}.`, shape)
}

/** Objects whose `type` decides which fields they have. */
function variants(shapes: Readonly<Record<string, Fields>>): Check {
  const checkType = oneOf(Object.keys(shapes))
  return (value, at) => {
    const source = object(value, at)
    const type = checkType(source.type, `${at}.type`)
    return { type, ...copy(source, `${at}.`, shapes[type]!) }
  }
}

function copy(source: Source, prefix: string, shape: Fields): Source {
  return Object.fromEntries(
    Object.entries(shape)
      .map(([name, check]) => [name, check(source[name], prefix + name)] as const)
      .filter(([, value]) => value !== undefined),
  )
}

function object(value: unknown, at: string): Source {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw expected(at, 'an object', value)
  return value as Source
}

function expected(at: string, what: string, got: unknown): Error {
  return new Error(`${at}: expected ${what}, got ${describeValue(got)}`)
}

import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { checkParts, describeValue, messageOf } from '@curfew/core/internal'
import type { AssistantPart, HistoryItem, HistoryResult, UserPart } from '../history/history-item.ts'
import { type SessionHeader, type SessionRecord, type StartedCall, sessionVersion } from './session-record.ts'

/** Of parts, results, calls and tools in one record. */
const maxEntries = 100_000
/** Numbers beyond it can still be added up exactly. */
const maxItemId = 2 ** 50

/** Copies and validates a record. `null` if its type is unknown. Throws an error that names the field. */
export function checkRecord(value: unknown): SessionRecord | null {
  const source = object(value, 'record')
  const { type } = source
  switch (type) {
    case 'item':
      return { type, item: item(source.item) }
    case 'calls':
      return { type, calls: list(source.calls, 'calls', startedCall) }
    case 'counts':
      return {
        type,
        continuations: count(source.continuations, 'continuations'),
        usage: Object.fromEntries(
          Object.entries(object(source.usage, 'usage')).map(([name, total]) => [
            name,
            total === null ? null : count(total, `usage.${name}`),
          ]),
        ),
        ...turns(source),
      }
    case 'loaded':
      return { type, tools: list(source.tools, 'tools', text) }
    case 'model':
      return { type, model: text(source.model, 'model') }
    case 'removed':
      return {
        type,
        before: itemId(source.before, 'before'),
        ...(source.keep === undefined ? {} : { keep: list(source.keep, 'keep', itemId) }),
      }
    case 'rewound':
      return { type, position: itemId(source.position, 'position') }
    case 'end':
      return { type, reason: text(source.reason, 'reason'), ...turns(source) }
    default:
      text(type, 'type')
      return null
  }
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
  return {
    type: 'session',
    version: sessionVersion,
    id: text(source.id, 'id'),
    createdAt: count(source.createdAt, 'createdAt'),
    project: text(source.project, 'project'),
    model: text(source.model, 'model'),
    ...(source.forkedFrom === undefined ? {} : { forkedFrom: text(source.forkedFrom, 'forkedFrom') }),
  }
}

/** What a person sends, before it becomes an item. */
export function checkUserParts(value: unknown): UserPart[] {
  return list(value, 'parts', userPart)
}

function item(value: unknown): HistoryItem {
  const source = object(value, 'item')
  const base = { id: itemId(source.id, 'item.id'), at: count(source.at, 'item.at') }
  switch (source.type) {
    case 'user':
      return {
        type: 'user',
        ...base,
        source: oneOf(source.source, 'item.source', ['person', 'summary']),
        parts: list(source.parts, 'item.parts', userPart),
      }
    case 'assistant':
      return {
        type: 'assistant',
        ...base,
        model: text(source.model, 'item.model'),
        parts: list(source.parts, 'item.parts', assistantPart),
        ...(source.incomplete === true ? { incomplete: true } : {}),
      }
    case 'results':
      return { type: 'results', ...base, results: list(source.results, 'item.results', result) }
    default:
      throw expected('item.type', '"user", "assistant" or "results"', source.type)
  }
}

function userPart(value: unknown, at: string): UserPart {
  const source = object(value, at)
  if (source.type === 'text') return { type: 'text', text: text(source.text, `${at}.text`) }
  if (source.type !== 'file') throw expected(`${at}.type`, '"text" or "file"', source.type)
  return {
    type: 'file',
    data: text(source.data, `${at}.data`),
    mediaType: text(source.mediaType, `${at}.mediaType`),
    ...(source.name === undefined ? {} : { name: text(source.name, `${at}.name`) }),
  }
}

function assistantPart(value: unknown, at: string): AssistantPart {
  const source = object(value, at)
  const metadata =
    source.metadata === undefined ? {} : { metadata: providerMetadata(source.metadata, `${at}.metadata`) }
  if (source.type !== 'call') {
    const type = oneOf(source.type, `${at}.type`, ['text', 'reasoning', 'call'])
    return { ...metadata, type, text: text(source.text, `${at}.text`) } as AssistantPart
  }
  return {
    ...metadata,
    type: 'call',
    callId: text(source.callId, `${at}.callId`),
    name: text(source.name, `${at}.name`),
    input: source.input,
  }
}

function providerMetadata(value: unknown, at: string): SharedV4ProviderMetadata {
  const metadata = object(value, at)
  for (const [provider, data] of Object.entries(metadata)) {
    // Providers convert values to strings, which throws for `{ "toString": 1 }`.
    if (/"toString":/.test(JSON.stringify(object(data, `${at}.${provider}`))))
      throw expected(`${at}.${provider}`, 'no key "toString"', data)
  }
  return metadata as SharedV4ProviderMetadata
}

function result(value: unknown, at: string): HistoryResult {
  const source = object(value, at)
  return {
    callId: text(source.callId, `${at}.callId`),
    name: text(source.name, `${at}.name`),
    status: oneOf(source.status, `${at}.status`, ['success', 'error', 'cancelled']),
    ...(source.code === undefined ? {} : { code: text(source.code, `${at}.code`) }),
    content: text(source.content, `${at}.content`),
    ...(source.parts === undefined ? {} : { parts: resultParts(source.parts, at) }),
    ...(source.spillPath === undefined ? {} : { spillPath: text(source.spillPath, `${at}.spillPath`) }),
    ...(source.loaded === true ? { loaded: true } : {}),
  }
}

function resultParts(value: unknown, at: string): ReturnType<typeof checkParts> {
  try {
    return checkParts(value)
  } catch (error) {
    throw new Error(`${at}.${messageOf(error)}`)
  }
}

function startedCall(value: unknown, at: string): StartedCall {
  const source = object(value, at)
  return {
    callId: text(source.callId, `${at}.callId`),
    name: text(source.name, `${at}.name`),
    startedAt: count(source.startedAt, `${at}.startedAt`),
  }
}

function turns(source: Source): { readonly turns?: number } {
  return source.turns === undefined ? {} : { turns: count(source.turns, 'turns') }
}

type Source = Readonly<Record<string, unknown>>

function object(value: unknown, at: string): Source {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw expected(at, 'an object', value)
  return value as Source
}

function list<T>(value: unknown, at: string, check: (entry: unknown, at: string) => T): T[] {
  if (!Array.isArray(value)) throw expected(at, 'an array', value)
  if (value.length > maxEntries)
    throw new Error(`${at}: expected at most ${maxEntries} entries, got ${value.length}`)
  return value.map((entry, index) => check(entry, `${at}[${index}]`))
}

function text(value: unknown, at: string): string {
  if (typeof value !== 'string') throw expected(at, 'a string', value)
  return value
}

function count(value: unknown, at: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw expected(at, 'a number that is not negative', value)
  return value
}

function itemId(value: unknown, at: string): number {
  if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > maxItemId)
    throw expected(at, 'the number of an item', value)
  return value as number
}

function oneOf<const T extends string>(value: unknown, at: string, names: readonly T[]): T {
  if (!names.includes(value as T))
    throw expected(at, names.map((name) => JSON.stringify(name)).join(' or '), value)
  return value as T
}

function expected(at: string, what: string, got: unknown): Error {
  return new Error(`${at}: expected ${what}, got ${describeValue(got)}`)
}

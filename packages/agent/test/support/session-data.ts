import type {
  AssistantItem,
  AssistantPart,
  HistoryItem,
  HistoryResult,
  ResultsItem,
  UserItem,
} from '../../src/history/history-item.ts'
import type { SessionHeader, SessionRecord } from '../../src/sessions/session-record.ts'

export const model = 'openai-compatible:test'

export const header: SessionHeader = {
  type: 'session',
  version: 1,
  id: '20261116-193012-k3f',
  createdAt: 1_794_857_412_000,
  project: '/project',
  model,
}

export const user = (id: number, text: string, source: UserItem['source'] = 'person'): UserItem => ({
  type: 'user',
  id,
  at: id,
  source,
  parts: [{ type: 'text', text }],
})

export const answer = (id: number, text: string): AssistantItem => ({
  type: 'assistant',
  id,
  at: id,
  model,
  parts: [{ type: 'text', text }],
})

export const calling = (id: number, ...callIds: string[]): AssistantItem => ({
  type: 'assistant',
  id,
  at: id,
  model,
  parts: callIds.map((callId): AssistantPart => ({ type: 'call', callId, name: 'tool', input: { a: 1 } })),
})

export const results = (id: number, ...callIds: string[]): ResultsItem => ({
  type: 'results',
  id,
  at: id,
  results: callIds.map(success),
})

export const success = (callId: string): HistoryResult => ({
  callId,
  name: 'tool',
  status: 'success',
  content: `result of ${callId}`,
})

export const started = (...callIds: string[]): SessionRecord => ({
  type: 'calls',
  calls: callIds.map((callId) => ({ callId, name: 'tool', startedAt: 1 })),
})

export const item = (item: HistoryItem): SessionRecord => ({ type: 'item', item })

export const toLines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Throws unless every assistant item with calls is followed by their results in the same order, and no others exist. */
export function assertBalanced(items: readonly HistoryItem[]): void {
  const ids = new Set(items.map(({ id }) => id))
  if (ids.size !== items.length) throw new Error('an id occurs twice')
  let expected: string[] = []
  for (const entry of items) {
    if (entry.type === 'results') {
      const got = entry.results.map(({ callId }) => callId)
      if (expected.length === 0 || got.join() !== expected.join())
        throw new Error(`expected results of ${expected.join() || 'no calls'}, got ${got.join()}`)
      expected = []
      continue
    }
    if (expected.length > 0) throw new Error(`calls without results: ${expected.join()}`)
    if (entry.type === 'assistant')
      expected = entry.parts.flatMap((part) => (part.type === 'call' ? [part.callId] : []))
  }
  if (expected.length > 0) throw new Error(`calls without results: ${expected.join()}`)
}

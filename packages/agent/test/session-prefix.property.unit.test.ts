import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import type { HistoryItem, HistoryResult } from '../src/history/history-item.ts'
import { parseSession } from '../src/sessions/read-session.ts'
import { restoreHistory } from '../src/sessions/restore-history.ts'
import type { SessionRecord } from '../src/sessions/session-record.ts'
import { answer, assertBalanced, calling, header, item, success, user } from './support/session-data.ts'

interface Batch {
  readonly calls: readonly string[]
  /** Calls that are started; the others get a result without running. */
  readonly startedCalls: number
}

interface TurnPlan {
  readonly prompt: string
  readonly batches: readonly Batch[]
  readonly isAnswered: boolean
  readonly shortensResults: boolean
  /** The number of items to keep; `null` without a compaction. */
  readonly keeps: number | null
}

const plans: fc.Arbitrary<TurnPlan[]> = fc.array(
  fc.record({
    prompt: fc.string({ unit: 'grapheme', maxLength: 8 }),
    batches: fc.array(
      fc.record({
        // Models repeat ids.
        calls: fc.array(fc.constantFrom('a', 'b', 'c', '__proto__'), { minLength: 1, maxLength: 4 }),
        startedCalls: fc.nat(4),
      }),
      { maxLength: 3 },
    ),
    isAnswered: fc.boolean(),
    shortensResults: fc.boolean(),
    keeps: fc.option(fc.nat(3)),
  }),
  { minLength: 1, maxLength: 4 },
)

interface Step {
  readonly record: SessionRecord
  /** The conversation's history after it. */
  readonly items: readonly HistoryItem[]
}

/** What an agent appends during a conversation, with the history that it has in memory at each moment. */
function simulate(turns: readonly TurnPlan[]): Step[] {
  const steps: Step[] = []
  let items: HistoryItem[] = []
  let nextId = 1
  const write = (record: SessionRecord) => {
    steps.push({ record, items: [...items] })
  }
  const add = (entry: HistoryItem) => {
    items.push(entry)
    write(item(entry))
  }
  for (const { prompt, batches, isAnswered, shortensResults, keeps } of turns) {
    add(user(nextId++, prompt))
    for (const { calls, startedCalls } of batches) {
      add(calling(nextId++, ...calls))
      write({
        type: 'calls',
        calls: calls.slice(0, startedCalls).map((callId) => ({ callId, name: 'tool', startedAt: 1 })),
      })
      const id = nextId++
      add({ type: 'results', id, at: id, results: calls.map(success) })
    }
    if (isAnswered) add(answer(nextId++, prompt))
    write({ type: 'counts', continuations: batches.length, usage: { inputTokens: nextId } })
    const last = items.findLastIndex((entry) => entry.type === 'results')
    if (shortensResults && last >= 0) {
      const entry = items[last] as Extract<HistoryItem, { type: 'results' }>
      const shortened = {
        ...entry,
        results: entry.results.map((result): HistoryResult => ({ ...result, content: '' })),
      }
      items[last] = shortened
      write(item(shortened))
    }
    if (keeps === null) continue
    const summary = user(nextId++, 'summary', 'summary')
    write(item(summary))
    // Pairs stay together, and the previous summary is replaced.
    const first = items[0]?.type === 'user' && items[0].source === 'summary' ? 1 : 0
    let from = Math.max(first, items.length - keeps)
    while (items[from]?.type === 'results') from--
    const before = items[from]?.id ?? nextId
    items = [summary, ...items.slice(from)]
    write({ type: 'removed', before })
  }
  return steps
}

const runs = scaled(10)

test(`a session file cut at any byte restores a balanced prefix of the conversation (${runs} runs)`, () => {
  let cuts = 0
  fc.assert(
    fc.property(plans, (turns) => {
      const steps = simulate(turns)
      const lines = [header, ...steps.map(({ record }) => record)].map((record) =>
        Buffer.from(`${JSON.stringify(record)}\n`),
      )
      const file = Buffer.concat(lines)
      let length = 0
      const ends = lines.map((line) => {
        length += line.length
        return length
      })
      for (let cut = 0; cut <= file.length; cut++) {
        const complete = ends.filter((end) => end <= cut).length
        if (complete === 0) {
          expect(() => parseSession(file.subarray(0, cut), 'file')).toThrow('the header is incomplete')
          continue
        }
        cuts++
        const { records, size } = parseSession(file.subarray(0, cut), 'file')
        if (size.bytes !== ends[complete - 1]) throw new Error(`${size.bytes} complete bytes of ${cut}`)
        // The result depends on the complete lines only.
        if (cut !== size.bytes && cut !== file.length) continue
        const before = complete === 1 ? [] : steps[complete - 2]!.items
        const { items, lost } = restoreHistory(records)
        assertBalanced(items)
        const added = items.slice(before.length)
        expect(items.slice(0, before.length)).toEqual(before)
        const last = before.at(-1)
        const open = last?.type === 'assistant' ? last.parts.filter((part) => part.type === 'call') : []
        expect(added).toHaveLength(open.length > 0 ? 1 : 0)
        const codes = added
          .flatMap((entry) => (entry.type === 'results' ? entry.results : []))
          .map((r) => r.code)
        expect(codes.filter((code) => code === 'WORKER_LOST')).toHaveLength(lost.length)
        expect(codes.every((code) => code === 'WORKER_LOST' || code === 'CANCELLED')).toBe(true)
      }
    }),
    { numRuns: runs },
  )
  expect(cuts).toBeGreaterThan(5_000)
})

import { readFileSync } from 'node:fs'
import { createRuntime, type ResultPart } from '@curfew/core'
import { systemClock } from '@curfew/core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formats, wireFormats } from '../../../packages/torture/src/model-server/start-model-server.ts'
import { scaled } from '../../../test/support/scaled.ts'
import { ContextManager, type ContextOptions, type ReductionScope } from '../src/context/context-manager.ts'
import { ContextWindows } from '../src/context/context-windows.ts'
import { estimateItems } from '../src/context/estimate-tokens.ts'
import { findRecentPart } from '../src/context/recent-part.ts'
import { History } from '../src/history/history.ts'
import type { HistoryItem, HistoryResult } from '../src/history/history-item.ts'
import { toPrompt } from '../src/models/to-prompt.ts'
import { toTools } from '../src/models/to-tools.ts'
import { restoreHistory } from '../src/sessions/restore-history.ts'
import type { SessionRecord } from '../src/sessions/session-record.ts'
import { captureRequests } from './support/capture-requests.ts'
import { type ScriptedModel, scriptedModel } from './support/scripted-model.ts'
import { assertBalanced } from './support/session-data.ts'

const length = fc.oneof(fc.nat(200), fc.integer({ min: 200, max: 12_000 }))
const turns = fc.array(
  fc.record({
    prompt: length,
    batches: fc.array(
      fc.record({
        text: length,
        results: fc.array(fc.record({ length, isLoaded: fc.boolean(), hasImage: fc.boolean() }), {
          minLength: 1,
          maxLength: 4,
        }),
      }),
      { maxLength: 5 },
    ),
    answer: length,
    isInterrupted: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
)
type Turns = typeof turns extends fc.Arbitrary<infer T> ? T : never

const image: ResultPart = { type: 'image', data: 'aGVsbG8h', mediaType: 'image/png' }
const fill = (name: string, size: number): string => `${name} größe 漢字 ${'x'.repeat(size)}`

/** A history that ends after a prompt or after results, as it does before a request. */
function toHistory(turns: Turns, hasSummary: boolean): HistoryItem[] {
  const items: HistoryItem[] = []
  const base = () => ({ id: items.length + 1, at: 1 })
  if (hasSummary)
    items.push({ ...base(), type: 'user', source: 'summary', parts: [{ type: 'text', text: 'Earlier.' }] })
  for (const [index, { prompt, batches, answer, isInterrupted }] of turns.entries()) {
    const parts = [{ type: 'text' as const, text: fill(`prompt ${index}`, prompt) }]
    items.push({ ...base(), type: 'user', source: 'person', parts })
    const isLast = index === turns.length - 1
    for (const { text, results } of batches) {
      const calls = results.map((_, at) => ({ callId: `c${items.length}-${at}`, name: `tool_${at}` }))
      items.push({
        ...base(),
        type: 'assistant',
        model: 'test:scripted',
        parts: [
          { type: 'text', text: fill('text', text) },
          ...calls.map((call) => ({ type: 'call' as const, ...call, input: {} })),
        ],
      })
      items.push({
        ...base(),
        type: 'results',
        results: results.map(
          ({ length, isLoaded, hasImage }, at): HistoryResult => ({
            ...calls[at]!,
            status: isLoaded ? 'success' : 'error',
            content: fill(`result ${items.length}-${at}`, length),
            ...(isLoaded && { loaded: true }),
            ...(hasImage && { parts: [image] }),
          }),
        ),
      })
    }
    if (isLast || isInterrupted) continue
    const text = fill('answer', answer)
    items.push({ ...base(), type: 'assistant', model: 'test:scripted', parts: [{ type: 'text', text }] })
  }
  return items
}

test('after a reduction, the request fits and is valid, the prompt is intact, and every full result can be read', async () => {
  const runtime = createRuntime({ log: () => {} })
  const captured = wireFormats.map((format) => ({ format, ...captureRequests(format) }))
  await fc.assert(
    fc.asyncProperty(
      turns,
      fc.boolean(),
      fc.integer({ min: 1_000, max: 20_000 }),
      fc.constantFrom('A summary.', '', null),
      fc.boolean(),
      async (turns, hasSummary, window, summary, isOverflow) => {
        const original = toHistory(turns, hasSummary)
        const conversation = runtime.conversation()
        const history = new History(
          () => 2,
          { onAdd() {}, onReplace() {}, onRemove() {}, onRewind() {} },
          original,
        )
        const model = scriptedModel(() => (summary === null ? { error: new Error('no') } : { text: summary }))
        const manager = newManager({ conversation, history, window }, model)
        const before = manager.usage()
        const scope = newScope(model)
        if (isOverflow) await manager.onOverflow(scope)
        else await manager.makeRoom(scope)
        const { items } = history
        assertBalanced(items)
        expectSize(items, manager.usage().tokens, isOverflow ? Math.min(window, before.tokens) : window)
        expectPrompt(items, original)
        expectFullResults(items, original)
        for (const { format, model: real, capture } of captured) {
          const { names } = toTools([], real)
          const prompt = toPrompt(items, { model: real, system: 'Be brief.', names })
          const request = await capture(() => real.doStream({ prompt }))
          expect(formats[format].validate(request)).toBeNull()
        }
        // Once more changes nothing.
        const { length: requests } = model.requests
        await manager.makeRoom(scope)
        expect(model.requests).toHaveLength(requests)
        expect(history.items).toBe(items)
        await conversation.close()
      },
    ),
    { numRuns: scaled(150) },
  )
  await runtime.close()
}, 600_000)

test('a session has the same history, however often it was reduced', async () => {
  const runtime = createRuntime({ log: () => {} })
  await fc.assert(
    fc.asyncProperty(
      turns,
      fc.integer({ min: 1_000, max: 10_000 }),
      fc.array(fc.constantFrom('A summary.', 'A summary.', '', null), { minLength: 1 }),
      async (turns, window, summaries) => {
        const records: SessionRecord[] = []
        const conversation = runtime.conversation()
        const history = new History(() => 2, {
          onAdd: (item) => records.push({ type: 'item', item }),
          onReplace: (items) => records.push(...items.map((item) => ({ type: 'item' as const, item }))),
          onRemove: ({ summary, before, keep }) =>
            records.push({ type: 'item', item: summary }, { type: 'removed', before, keep }),
          onRewind: (position) => records.push({ type: 'rewound', position }),
        })
        const model = scriptedModel((request) => {
          const summary = summaries[request % summaries.length]!
          return summary === null ? { error: new Error('no') } : { text: summary }
        })
        const manager = newManager({ conversation, history, window }, model)
        for (const item of toHistory(turns, false)) {
          if (item.type === 'user') history.addUser(item.parts)
          else if (item.type === 'assistant') history.addAssistant(item.model, item.parts)
          else history.addResults(item.results)
          // No request follows an answer.
          if (item.type === 'assistant') continue
          await manager.makeRoom(newScope(model))
          assertBalanced(history.items)
          expect(restoreHistory(records).items).toEqual(history.items)
        }
        await conversation.close()
      },
    ),
    { numRuns: scaled(100) },
  )
  await runtime.close()
}, 600_000)

function newManager(
  { window, ...options }: Pick<ContextOptions, 'conversation' | 'history'> & { readonly window: number },
  model: ScriptedModel,
): ContextManager {
  const manager = new ContextManager(
    {
      ...options,
      windows: new ContextWindows(window),
      isViewChosen: true,
      redact: (text) => text,
      onChange: () => {},
    },
    model,
  )
  manager.setSystem('Be brief.')
  return manager
}

function newScope(model: ScriptedModel): ReductionScope {
  return {
    model,
    signal: new AbortController().signal,
    limits: { maxAttempts: 1 },
    clock: systemClock,
    redact: (text) => text,
    canSpend: () => true,
    onUsage: () => {},
    onRetry: () => {},
    onNotice: () => {},
  }
}

/** It is below the limit, or nothing more could be removed. */
function expectSize(items: readonly HistoryItem[], tokens: number, window: number): void {
  if (tokens <= window * 0.8) return
  const { start, prompt } = findRecentPart(items)
  const old = items.slice(0, start).filter((item) => item !== prompt)
  const isSummary = old.every((item) => item.type === 'user' && item.source === 'summary')
  expect(isSummary || (estimateItems(old) < window * 0.05 && tokens <= window * 0.95)).toBe(true)
  for (const item of items)
    if (item.type === 'results')
      for (const { content } of item.results) expect(content.length).toBeLessThan(2_001)
}

function expectPrompt(items: readonly HistoryItem[], original: readonly HistoryItem[]): void {
  const isPrompt = (item: HistoryItem): boolean => item.type === 'user' && item.source === 'person'
  expect(items.findLast(isPrompt)).toBe(original.findLast(isPrompt))
}

function expectFullResults(items: readonly HistoryItem[], original: readonly HistoryItem[]): void {
  const before = new Map(original.map((item) => [item.id, item]))
  for (const item of items) {
    const same = before.get(item.id)
    if (item === same || item.type !== 'results' || same?.type !== 'results') continue
    for (const [index, { content, spillPath, ...result }] of item.results.entries()) {
      const full = same.results[index]!
      if (content === full.content) continue
      expect(result).not.toHaveProperty('loaded')
      expect(result).not.toHaveProperty('parts')
      if (spillPath === undefined) expect(content.startsWith(full.content)).toBe(true)
      else expect(readFileSync(spillPath, 'utf8')).toBe(full.content)
    }
  }
}

import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ToolView } from '@curfew/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formats, wireFormats } from '../../../packages/torture/src/model-server/start-model-server.ts'
import type { ReceivedRequest } from '../../../packages/torture/src/model-server/wire-format.ts'
import { scaled } from '../../../test/support/scaled.ts'
import type { HistoryItem } from '../src/history/history-item.ts'
import { nameOfModel } from '../src/models/name-of-model.ts'
import { toPrompt } from '../src/models/to-prompt.ts'
import { toTools } from '../src/models/to-tools.ts'
import { captureRequests } from './support/capture-requests.ts'
import { createTestModel } from './support/create-test-model.ts'
import { arbitraryCompleteHistory, arbitraryHistory } from './support/history-arbitrary.ts'

const views: ToolView[] = [
  {
    name: 'read',
    description: 'Read a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
  { name: 'api/v1.get' },
  { name: 'x'.repeat(128), parameters: { anyOf: [{ type: 'object', properties: { a: {} } }] } },
  { name: '9lives', parameters: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
]
const models = [
  ...wireFormats.map((format) => nameOfModel(createTestModel(format, 'http://x'))),
  'google:gemini-2.5-flash',
  'other:model',
]
const timeoutMs = 600_000

describe.each([
  ...wireFormats.map((format) => [format, undefined] as const),
  ['google', 'gemini-2.5-flash'] as const,
])('%s %s', (format, modelId) => {
  const { model, capture } = captureRequests(format, modelId)
  const { tools, names } = toTools(views, model)
  const send = (items: readonly HistoryItem[], system = 'Be brief.'): Promise<ReceivedRequest> =>
    capture(() => model.doStream({ prompt: toPrompt(items, { model, system, names }), tools }))

  test(
    'no history is rejected',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          arbitraryHistory(models),
          fc.constantFrom('', ' ', 'Be brief.', '\ud83d'),
          async (items, system) => {
            const request = await send(items, system)
            expect(formats[format].validate(request)).toBeNull()
          },
        ),
        { numRuns: scaled(400) },
      )
    },
    timeoutMs,
  )

  test(
    'every call has one result directly after its message, in order',
    () => {
      fc.assert(
        fc.property(arbitraryHistory(models), (items) => {
          expectPairs(toPrompt(items, { model, names }))
        }),
        { numRuns: scaled(300) },
      )
    },
    timeoutMs,
  )

  test(
    'a longer history begins with the bytes of the shorter one',
    async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryCompleteHistory(models), fc.nat(), async (items, cut) => {
          const users = items.flatMap((item, index) => (item.type === 'user' ? [index] : []))
          if (users.length === 0) return
          const end = users[cut % users.length]!
          const shorter = messagesOf(await send(items.slice(0, end + 1)))
          const longer = messagesOf(await send([...items, { ...(items[0] as HistoryItem), id: 999 }]))
          // The last message may be continued by what follows.
          expect(longer.slice(0, shorter.length - 1)).toEqual(shorter.slice(0, -1))
        }),
        { numRuns: scaled(100) },
      )
    },
    timeoutMs,
  )
})

function expectPairs(prompt: LanguageModelV4Prompt): void {
  const seen = new Set<string>()
  prompt.forEach((message, index) => {
    if (message.role === 'tool') expect(prompt[index - 1]?.role).toBe('assistant')
    if (message.role !== 'assistant') return
    const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    const next = prompt[index + 1]
    const results =
      next?.role === 'tool' ? next.content.map((part) => 'toolCallId' in part && part.toolCallId) : []
    expect(results).toEqual(calls)
    for (const id of calls) {
      expect(seen.has(id)).toBe(false)
      seen.add(id)
    }
  })
}

/** Without cache markers, which move and are not part of what is cached. */
function messagesOf({ body }: ReceivedRequest): string[] {
  const messages = (body.messages ?? body.contents) as unknown[]
  return messages.map((message) =>
    JSON.stringify(message, (key, value) => (key === 'cache_control' ? undefined : value)),
  )
}

import fc from 'fast-check'
import type {
  AssistantItem,
  AssistantPart,
  HistoryItem,
  HistoryResult,
  UserPart,
} from '../../src/history/history-item.ts'

/** Histories as they may exist after crashes, aborts, compaction and strange models: nothing about their order is guaranteed. */
export function arbitraryHistory(models: readonly string[]): fc.Arbitrary<HistoryItem[]> {
  const item = fc.oneof(
    fc.record({
      type: fc.constant('user' as const),
      source: fc.constant('person' as const),
      parts: fc.array(userPart, { maxLength: 3 }),
    }),
    fc.record({
      type: fc.constant('assistant' as const),
      model: fc.constantFrom(...models),
      parts: fc.array(assistantPart, { maxLength: 5 }),
    }),
    fc.record({ type: fc.constant('results' as const), results: fc.array(result, { maxLength: 5 }) }),
  )
  return fc
    .array(item, { maxLength: 12 })
    .map((items) => items.map((each, id) => ({ ...each, id, at: id }) as HistoryItem))
}

/** Histories without damage: every response is followed by its results. */
export function arbitraryCompleteHistory(models: readonly string[]): fc.Arbitrary<HistoryItem[]> {
  return arbitraryHistory(models).map((items) => {
    const responses = items.filter((item): item is AssistantItem => item.type === 'assistant')
    let id = 0
    return responses.flatMap((response): HistoryItem[] => {
      const results = response.parts
        .filter((part) => part.type === 'call')
        .map(
          ({ callId, name }): HistoryResult => ({
            callId,
            name,
            status: 'success',
            content: `result of ${name}`,
          }),
        )
      const base = (): { id: number; at: number } => ({ id: id++, at: id })
      return [
        { type: 'user', source: 'person', parts: [{ type: 'text', text: `question ${id}` }], ...base() },
        { ...response, ...base() },
        ...(results.length === 0 ? [] : [{ type: 'results' as const, results, ...base() }]),
      ]
    })
  })
}

const text = fc.oneof(
  fc.constantFrom('', ' ', '\n\t', 'Hello', 'trailing ', '\ud83d', 'x\udc00y', '\u0000', '{"a":1}'),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const callId = fc.constantFrom(
  '',
  'a',
  'a',
  'b',
  'call_1',
  'curfew_1',
  'curfew_2',
  'not valid!',
  'x'.repeat(60),
  'ä',
)
const name = fc.constantFrom(
  'read',
  'mcp__github__list',
  'api/v1.get',
  '',
  'no such tool!',
  '9lives',
  'x'.repeat(128),
  '\ud83d',
)
const json = fc.oneof(
  fc.constantFrom<unknown>({}, { path: 'x' }, { '\ud83d': ['\ud83d', null] }, [], null, 5, '', '{"broken', {
    a: { b: [1] },
  }),
  fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
)
const data = fc.constantFrom('aGVsbG8=', 'aGk=', '', 'not base64!', 'abc')
const mediaType = fc.constantFrom(
  'image/png',
  'IMAGE/JPEG',
  'image/svg+xml',
  'image/tiff',
  'application/pdf',
  'application/zip',
  'application/json',
  'text/plain; charset=utf-8',
  'audio/wav',
  'audio/ogg',
  'video/mp4',
  'nonsense',
  '',
)

const userPart: fc.Arbitrary<UserPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record(
    { type: fc.constant('file' as const), data, mediaType, name: fc.constantFrom('a.txt', 'b\ud83d.png') },
    { requiredKeys: ['type', 'data', 'mediaType'] },
  ),
)

const metadata = fc.constantFrom(
  { anthropic: { signature: 'c2ln' } },
  { anthropic: { redactedData: 'cmVk' } },
  { google: { thoughtSignature: 'c2ln' } },
  { 'openai-compatible': { thoughtSignature: 'c2ln' } },
)

const assistantPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  fc.record(
    { type: fc.constantFrom('text' as const, 'reasoning' as const), text, metadata },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    { type: fc.constant('call' as const), callId, name, input: json, metadata },
    { requiredKeys: ['type', 'callId', 'name', 'input'] },
  ),
)

const resultPart = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constantFrom('image' as const, 'audio' as const), data, mediaType }),
  fc.record(
    { type: fc.constant('resource' as const), uri: fc.constant('file:///x'), data, mediaType },
    { requiredKeys: ['type', 'uri'] },
  ),
)

const result: fc.Arbitrary<HistoryResult> = fc.record(
  {
    callId,
    name,
    status: fc.constantFrom('success' as const, 'error' as const, 'cancelled' as const),
    code: fc.constant('DENIED'),
    content: text,
    parts: fc.array(resultPart, { maxLength: 3 }),
  },
  { requiredKeys: ['callId', 'name', 'status', 'content'] },
)

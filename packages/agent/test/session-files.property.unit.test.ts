import { CurfewError } from '@curfew/core'
import { expect, test } from 'vitest'
import { formats, wireFormats } from '../../../packages/torture/src/model-server/start-model-server.ts'
import { mutateBytes, mutateJson, type Vocabulary } from '../../../test/support/mutate-json.ts'
import { Random } from '../../../test/support/random.ts'
import { scaled } from '../../../test/support/scaled.ts'
import { testSeed } from '../../../test/support/seed.ts'
import type { HistoryItem } from '../src/history/history-item.ts'
import { toPrompt } from '../src/models/to-prompt.ts'
import { toTools } from '../src/models/to-tools.ts'
import { parseSession } from '../src/sessions/read-session.ts'
import { restoreHistory } from '../src/sessions/restore-history.ts'
import { captureRequests } from './support/capture-requests.ts'
import { answer, assertBalanced, calling, header, results, started, user } from './support/session-data.ts'

const models = wireFormats.map((format) => ({ format, ...captureRequests(format) }))
const { names } = toTools([], models[0]!.model)
const runs = scaled(1_500)

test(`a damaged session file is rejected with its line, or yields a history that every provider accepts (${runs} files)`, async () => {
  let accepted = 0
  for (let seed = testSeed(); seed < testSeed() + runs; seed++) {
    const file = damagedFile(new Random(seed))
    try {
      if (await check(file)) accepted++
    } catch (error) {
      throw new Error(`with the seed ${seed}`, { cause: error })
    }
  }
  expect(accepted).toBeGreaterThan(runs / 10)
})

async function check(file: Buffer): Promise<boolean> {
  let items: readonly HistoryItem[]
  try {
    const { records } = parseSession(file, 'file')
    items = restoreHistory(records).items
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    expect(error.message).toMatch(/^file:\d+: /)
    return false
  }
  assertBalanced(items)
  for (const { format, model, capture } of models) {
    const prompt = toPrompt([...items, user(2 ** 51, 'And now?')], { model, names })
    const request = await capture(() => model.doStream({ prompt }))
    expect(formats[format].validate(request)).toBeNull()
  }
  return true
}

function damagedFile(random: Random): Buffer {
  const lines = [header, ...records()].map((record) => JSON.stringify(record))
  const damaged = lines.flatMap((line, index): Buffer[] => {
    const bytes = Buffer.from(line)
    if (random.below(lines.length) > 1) return [bytes]
    switch (random.below(6)) {
      case 0:
        return []
      case 1:
        return [bytes, bytes]
      case 2:
        return [Buffer.from(random.pick(lines)), bytes]
      case 3:
        return random.once(4) ? [mutateBytes(random, bytes)] : [bytes]
      default:
        return index === 0 ? [bytes] : [mutateJson(random, JSON.parse(line), vocabulary)]
    }
  })
  return Buffer.concat(damaged.flatMap((line) => [line, Buffer.from('\n')]))
}

/** One of everything. */
function records(): object[] {
  const item = (value: HistoryItem): object => ({ type: 'item', item: value })
  const metadata = { google: { thoughtSignature: 'c2ln' }, anthropic: { signature: 'c2ln' } }
  const image = { type: 'file', data: 'iVBORw0KGgo=', mediaType: 'image/png', name: 'a.png' } as const
  return [
    item({ ...user(1, 'Hello.'), parts: [{ type: 'text', text: 'Hello.' }, image] }),
    item(calling(2, 'a', 'b')),
    started('a'),
    item(results(3, 'a', 'b')),
    item({
      ...answer(4, ''),
      model: 'google:gemini-3-pro-preview',
      parts: [
        { type: 'reasoning', text: 'Hmm.', metadata },
        { type: 'call', callId: 'c', name: 'tool', input: { a: [1] }, metadata },
        { type: 'text', text: 'Well.', metadata },
      ],
    }),
    item({ type: 'results', id: 5, at: 5, results: [{ ...results(5, 'c').results[0]!, parts: [image] }] }),
    { type: 'counts', continuations: 2, usage: { inputTokens: 5, money: null }, turns: 1 },
    item({ ...answer(6, 'It is done.'), incomplete: true }),
    { type: 'model', model: 'anthropic:claude-sonnet-4-5' },
    item(user(7, 'A summary.', 'summary')),
    { type: 'removed', before: 4 },
    { type: 'loaded', tools: ['tool'] },
    item(calling(8, 'd', 'd')),
    started('d'),
    { type: 'end', reason: 'abort', turns: 1 },
  ]
}

const vocabulary: Vocabulary = {
  keys: [
    ...[
      'type',
      'item',
      'id',
      'at',
      'parts',
      'source',
      'model',
      'results',
      'callId',
      'name',
      'input',
      'status',
    ],
    ...[
      'content',
      'code',
      'metadata',
      'calls',
      'before',
      'usage',
      'tools',
      'data',
      'mediaType',
      'text',
      'turns',
    ],
  ],
  strings: [
    ...['user', 'assistant', 'results', 'summary', 'person', 'text', 'reasoning', 'call', 'file', 'success'],
    ...[
      'error',
      'cancelled',
      'removed',
      'loaded',
      'counts',
      'calls',
      'session',
      'a',
      'b',
      'tool',
      'image/png',
    ],
    ...['application/pdf', 'text/plain', 'audio/wav', '!not base64!', 'eA==', 'openai-compatible:test-model'],
  ],
  members: ['"type":"item"', '"id":1', '"id":-1', '"item":{}', '"parts":[]', '"before":9', '"version":2'],
}

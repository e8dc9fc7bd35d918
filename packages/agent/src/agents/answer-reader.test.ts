import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AnswerFormat, answerFormats } from './answer-formats.ts'
import { AnswerReader } from './answer-reader.ts'

function read(format: AnswerFormat, text: string, size = text.length) {
  let shown = ''
  const reader = new AnswerReader(format, (part) => {
    shown += part
  })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += Math.max(1, size))
    reader.push(bytes.subarray(at, at + Math.max(1, size)))
  return { ...reader.end(), shown }
}

const lines = (...events: unknown[]) =>
  events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join('\n')

// As the programs wrote them: Claude Code 2.1.197, Gemini CLI 0.61.0, Codex 0.169.0 and Copilot CLI 1.0.102.
const outputs: Readonly<Record<Exclude<AnswerFormat, 'text'>, { ok: string; failed: string }>> = {
  claude: {
    ok: lines(
      { type: 'system', subtype: 'init', tools: ['Read'] },
      {
        type: 'assistant',
        message: {
          content: [
            { type: 'text', text: 'Hm.' },
            { type: 'tool_use', name: 'Read' },
          ],
        },
      },
      { type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'The änswer.' }] } },
      { type: 'result', subtype: 'success', is_error: false, result: 'The änswer.' },
    ),
    failed: lines({ type: 'result', subtype: 'success', is_error: true, result: 'API Error: 400' }),
  },
  gemini: {
    ok: lines(
      { type: 'init', model: 'auto' },
      { type: 'message', role: 'user', content: 'go' },
      { type: 'message', role: 'assistant', content: 'Hm.', delta: true },
      { type: 'tool_use', tool_name: 'read_file' },
      { type: 'message', role: 'assistant', content: 'The ', delta: true },
      { type: 'message', role: 'assistant', content: 'änswer.', delta: true },
      { type: 'result', status: 'success', stats: {} },
    ),
    failed: lines({ type: 'result', status: 'error', error: { type: 'Error', message: 'no quota' } }),
  },
  codex: {
    ok: lines(
      { type: 'thread.started', thread_id: '1' },
      { type: 'item.completed', item: { type: 'error', message: 'metadata not found' } },
      { type: 'item.started', item: { type: 'command_execution', command: 'ls' } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'The änswer.' } },
      { type: 'turn.completed', usage: {} },
    ),
    failed: lines({ type: 'turn.failed', error: { message: 'stream disconnected' } }),
  },
  copilot: {
    ok: lines(
      { type: 'user.message', data: { content: 'go' } },
      { type: 'assistant.message', data: { content: '', toolRequests: [{}] } },
      { type: 'tool.execution_start', data: { toolName: 'view' } },
      { type: 'assistant.message', data: { content: 'The änswer.' } },
      { type: 'result', exitCode: 0 },
    ),
    failed: lines(
      { type: 'session.error', data: { message: 'not signed in' } },
      { type: 'result', exitCode: 1 },
    ),
  },
}

test.each(Object.entries(outputs))(
  '%s: the answer, however its output is split',
  (format, { ok, failed }) => {
    for (const size of [1, 3, 1_000]) {
      const { answer, tools, error } = read(format as AnswerFormat, ok, size)
      expect({ answer, tools, error }).toEqual({ answer: 'The änswer.', tools: 1, error: null })
    }
    expect(read(format as AnswerFormat, failed).error).not.toBeNull()
  },
)

test('text is the answer', () => {
  expect(read('text', '  {"type": 1}\nhello\n')).toMatchObject({
    answer: '{"type": 1}\nhello',
    shown: '  {"type": 1}\nhello\n',
  })
})

test('what is not part of the format is text; it is the answer only if there is none', () => {
  const warning = 'Warning: something'
  expect(read('claude', lines(warning, { type: 'other' }))).toMatchObject({ answer: warning, isFinal: false })
  expect(read('claude', `${warning}\n${outputs.claude.ok}`)).toMatchObject({
    answer: 'The änswer.',
    isFinal: true,
  })
})

test('memory and the answer are bounded', () => {
  const line = `${'x'.repeat(1_000)}\n`
  const { answer } = read('text', line.repeat(5_000), 65_536)
  expect(answer.length).toBeLessThan(1.1 * (1 << 20))
  const endless = new AnswerReader('claude', () => {})
  for (let count = 0; count < 20; count++) endless.push(Buffer.alloc(1 << 20, 123))
  expect(endless.end().answer).toContain('a line of more than')
})

test('nothing that a program writes makes it fail', () => {
  const event = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record(
        {
          type: fc.constantFrom(
            'assistant',
            'result',
            'message',
            'item.completed',
            'assistant.message',
            'tool_use',
          ),
          message: fc.jsonValue(),
          item: fc.jsonValue(),
          data: fc.jsonValue(),
          result: fc.jsonValue(),
          content: fc.jsonValue(),
          error: fc.jsonValue(),
        },
        { requiredKeys: ['type'] },
      )
      .map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(fc.constantFrom(...answerFormats), fc.array(event), fc.nat(50), (format, events, size) => {
      const { answer, error } = read(format, events.join('\n'), size)
      return typeof answer === 'string' && (error === null || typeof error === 'string')
    }),
  )
})

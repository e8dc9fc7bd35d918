import { expect, test } from 'vitest'
import { nameCalls } from './name-calls.ts'

async function throughStream(pieces: readonly string[]): Promise<string> {
  const { readable, writable } = nameCalls()
  const writer = writable.getWriter()
  const text = new Response(readable.pipeThrough(new TextEncoderStream())).text()
  for (const piece of pieces) await writer.write(piece)
  await writer.close()
  return await text
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const call = (index: number, name: string | undefined, part: string, id?: string): string =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: part } }] })
const done = chunk({}, 'tool_calls')

test('a call without a name gets one at its end', async () => {
  const text = await throughStream([
    call(0, '', '', 'call_1'),
    call(0, undefined, '{"a"'),
    call(1, 'read', '{}', 'call_2'),
    call(0, undefined, ':1}'),
    done,
    'data: [DONE]\n\n',
  ])
  const calls = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .flatMap((line) => JSON.parse(line.slice(6)).choices[0].delta.tool_calls ?? [])
  expect(calls).toEqual([
    { index: 1, id: 'call_2', type: 'function', function: { name: 'read', arguments: '{}' } },
    { index: 0, id: 'call_1', type: 'function', function: { name: '(no name)', arguments: '{"a":1}' } },
  ])
  expect(text).toContain('"finish_reason":"tool_calls"')
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
})

test.each([
  ['the name follows later', [call(0, '', '', 'call_1'), call(0, 'read', '{}', 'call_1'), done], 1],
  ['an empty name with each part', [call(0, 'read', '', 'call_1'), call(0, '', '{}', 'call_1'), done], 0],
  ['parts that only have the id', [call(0, 'read', '', 'c'), chunk({ tool_calls: [{ id: 'c' }] }), done], 0],
])('a call with a name is left alone: %s', async (_, chunks, dropped) => {
  const text = await throughStream(chunks)
  expect(text).not.toContain('no name')
  expect(text.endsWith(chunks.slice(dropped).join(''))).toBe(true)
})

test('everything else passes unchanged, however it is cut', async () => {
  const stream = `: ping\r\n\r\n${chunk({ content: '"tool_calls" ä🙂' })}data: {"tool_calls"\n\n${done}{"error":1}`
  for (const size of [1, 7, 1_000]) {
    const pieces = stream.match(new RegExp(`[^]{1,${size}}`, 'g'))!
    expect(await throughStream(pieces)).toBe(stream)
  }
})

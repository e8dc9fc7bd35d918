import { appendFileSync, chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answer, header, item, toLines, user } from '../../test/support/session-data.ts'
import { state, useStateFolder } from '../../test/support/session-setup.ts'
import { readSession } from './read-session.ts'
import { countValues, maxLineSize } from './session-size.ts'

useStateFolder()

const isRoot = process.getuid?.() === 0

function file(content: string | Uint8Array): string {
  const path = join(state, 'session.jsonl')
  writeFileSync(path, content)
  return path
}

const withItem = (changes: object) => toLines(header, { type: 'item', item: { ...user(1, 'a'), ...changes } })
const withAssistant = (changes: object) =>
  toLines(header, { type: 'item', item: { ...answer(1, 'a'), ...changes } })
const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`

describe('what a crash can leave', () => {
  const records = [item(user(1, 'naïve 🙂')), item(answer(2, 'done'))]
  const complete = toLines(header, ...records)

  test.each([
    ['nothing', ''],
    ['a torn line', '{"type":"item","ite'],
    ['a complete record without its line break', '{"type":"end","reason":"answer"}'],
    ['half a character', Buffer.from('🙂').subarray(0, 2)],
    ['zeros', Buffer.alloc(10_000)],
  ])('%s after the last line is ignored', async (_, end) => {
    const path = file(Buffer.concat([Buffer.from(complete), Buffer.from(end)]))
    expect(await readSession(path)).toEqual({
      header,
      records,
      size: { bytes: Buffer.byteLength(complete), lines: 3, values: countValues(complete) },
    })
  })

  test.each(['', '{"type":"session"'])(
    'a file without a complete header (%j) is not a session',
    async (text) => {
      const path = file(text)
      await expect(readSession(path)).rejects.toThrow(`${path}:1: the header is incomplete`)
    },
  )
})

test('records of unknown types and unknown fields are skipped', async () => {
  const path = file(
    toLines({ ...header, later: 1 }, { type: 'later', data: {} }, { ...item(user(1, 'a')), later: [] }),
  )
  expect(await readSession(path)).toMatchObject({ header, records: [item(user(1, 'a'))] })
})

test.each([
  ['another version', toLines({ ...header, version: 2 }), 1, 'version: expected 1, the only version'],
  [
    'another type',
    toLines({ ...header, type: 'x' }),
    1,
    'type: expected "session" in the first line, got "x"',
  ],
  ['no id', toLines({ ...header, id: 5 }), 1, 'id: expected a string, got 5'],
  ['not JSON', `${toLines(header)}{"type"\n${toLines(item(user(1, 'a')))}`, 2, 'JSON'],
  ['an empty line', `${toLines(header)}\n`, 2, 'JSON'],
  ['not an object', toLines(header, [1]), 2, 'record: expected an object, got [1]'],
  ['no type', toLines(header, {}), 2, 'type: expected a string, got undefined'],
  ['no item', toLines(header, { type: 'item' }), 2, 'item: expected an object'],
  ['a negative id', withItem({ id: -1 }), 2, 'item.id: expected the number of an item, got -1'],
  ['an id that is too large', withItem({ id: 2 ** 60 }), 2, 'item.id: expected'],
  ['an unknown item', withItem({ type: 'x' }), 2, 'item.type: expected "user", "assistant" or "results"'],
  ['an unknown source', withItem({ source: 'x' }), 2, 'item.source: expected "person" or "summary", got "x"'],
  [
    'an unknown part',
    withItem({ parts: [{ type: 'x' }] }),
    2,
    'item.parts[0].type: expected "text" or "file"',
  ],
  ['no parts', withItem({ parts: {} }), 2, 'item.parts: expected an array'],
  ['a call without an id', withAssistant({ parts: [{ type: 'call' }] }), 2, 'item.parts[0].callId: expected'],
  [
    'metadata that cannot be converted to a string',
    withAssistant({ parts: [{ type: 'text', text: '', metadata: { google: { a: [{ toString: 1 }] } } }] }),
    2,
    'item.parts[0].metadata.google: expected no key "toString", got {"a":[{"toString":1}]}',
  ],
  [
    'metadata that is not an object',
    withAssistant({ parts: [{ type: 'text', text: '', metadata: { google: 1 } }] }),
    2,
    'item.parts[0].metadata.google: expected an object, got 1',
  ],
  [
    'a result with invalid parts',
    withItem({
      type: 'results',
      results: [{ callId: 'a', name: 'a', status: 'success', content: '', parts: [{ type: 'x' }] }],
    }),
    2,
    'item.results[0].parts[0].type: expected one of text, image',
  ],
  [
    'usage that is not a number',
    toLines(header, { type: 'counts', continuations: 1, usage: { a: 'b' } }),
    2,
    'usage.a: expected a number',
  ],
  [
    'tools that are not strings',
    toLines(header, { type: 'loaded', tools: ['a', 1] }),
    2,
    'tools[1]: expected a string',
  ],
  [
    'too many entries',
    toLines(header, { type: 'loaded', tools: Array(100_001).fill('') }),
    2,
    'tools: expected at most',
  ],
  ['deep JSON', `${toLines(header)}${deep}\n`, 2, 'nested more than 200 levels deep'],
  ['deep arguments', `${toLines(header)}{"type":"later","input":${deep}}\n`, 2, 'nested more than'],
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from(toLines(header)), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
    2,
    'not valid',
  ],
  [
    'a line that is too long',
    `${toLines(header)}"${'x'.repeat(maxLineSize.bytes)}"\n`,
    2,
    'expected at most 8388608 bytes, got',
  ],
])('%s is rejected with file and line', async (_, content, line, message) => {
  const path = file(content)
  const error = (await readSession(path).catch((error: unknown) => error)) as Error
  expect(error).toMatchObject({ code: 'INVALID_OPTION', field: `${path}:${line}` })
  expect(error.message).toContain(message)
  expect(error.message.startsWith(`${path}:${line}: `)).toBe(true)
  expect(error.message.length).toBeLessThan(1_000)
})

test('keys of prototypes change nothing', async () => {
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  const part = `{"type":"call","callId":"__proto__","name":"constructor","input":${hostile},"metadata":${hostile}}`
  const path = file(
    `${toLines(header)}{"type":"item","__proto__":{"type":"end"},"item":{"type":"assistant","id":1,"at":1,"model":"m","parts":[${part}],"__proto__":{"incomplete":true}}}\n` +
      `{"type":"counts","continuations":0,"usage":{"__proto__":1}}\n{"__proto__":{"type":"end","reason":"x"},"type":"toString"}\n`,
  )
  const { records } = await readSession(path)
  expect(records).toHaveLength(2)
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
  const [first, second] = records as unknown as [{ item: { incomplete?: true } }, { usage: object }]
  expect(first.item.incomplete).toBeUndefined()
  expect(Object.getPrototypeOf(second.usage)).toBe(Object.prototype)
})

test('a file whose values would need gigabytes of memory is rejected', async () => {
  const path = file(toLines(header))
  // 3 bytes each in the file, 60 in memory.
  const line = toLines({ ...item(answer(1, '')), later: 0 }).replace(
    '"later":0',
    `"later":[${'{},'.repeat(1 << 20)}0]`,
  )
  for (let count = 0; count < 6; count++) appendFileSync(path, line)
  await expect(readSession(path)).rejects.toThrow(
    `${path}:3: expected at most 67108864 bytes, 500000 lines and 4000000 values up to here`,
  )
})

describe('a file that is not a session', () => {
  test('of 1 GB is rejected without reading it', async () => {
    const path = file('')
    truncateSync(path, 1 << 30)
    const start = performance.now()
    await expect(readSession(path)).rejects.toThrow(/expected at most 67108864 bytes, got 1073741824/)
    expect(performance.now() - start).toBeLessThan(5_000)
  })

  test('with the largest size but no line is rejected', async () => {
    const path = file(toLines(header).slice(0, 10))
    truncateSync(path, 64 << 20)
    await expect(readSession(path)).rejects.toThrow('the header is incomplete')
  })

  test('a symbolic link is not followed', async () => {
    symlinkSync(file(toLines(header)), join(state, 'link.jsonl'))
    await expect(readSession(join(state, 'link.jsonl'))).rejects.toThrow(/ELOOP/)
  })

  test('a folder is rejected', async () => {
    mkdirSync(join(state, 'folder.jsonl'))
    await expect(readSession(join(state, 'folder.jsonl'))).rejects.toThrow('expected a regular file')
  })

  test.runIf(isRoot)("another user's file is rejected", async () => {
    const path = file(toLines(header))
    chownSync(path, 12_345, 12_345)
    await expect(readSession(path)).rejects.toThrow('expected a regular file of this user')
  })
})

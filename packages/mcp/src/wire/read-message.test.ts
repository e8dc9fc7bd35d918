import { maxJsonDepth } from '@curfew/core/internal'
import { isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/client'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { oversizedMessage, readMessage } from './read-message.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const message = (fields: object): string => JSON.stringify({ jsonrpc: '2.0', ...fields })

describe('valid messages', () => {
  test.for([
    { id: 1, method: 'ping' },
    { id: 'a', method: 'tools/call', params: { name: 'x', _meta: { progressToken: 0 } } },
    { method: 'notifications/initialized' },
    { id: 0, result: {} },
    { id: 'x', error: { code: -32_000, message: 'no', data: [1] } },
  ])('%j', (fields) => {
    expect(readMessage(message(fields))).toEqual({ message: { jsonrpc: '2.0', ...fields } })
  })

  test('unknown members and null are removed', () => {
    const read = (fields: object): unknown => readMessage(message(fields))
    const result = { jsonrpc: '2.0', id: 1, result: { a: 1 } }
    expect(read({ id: 1, result: { a: 1 }, error: null, took: 5 })).toEqual({ message: result })
    const error = { code: 1, message: 'no' }
    expect(read({ id: 1, result: null, error: { ...error, extra: 1 } })).toEqual({
      message: { jsonrpc: '2.0', id: 1, error },
    })
    expect(read({ id: null, error })).toEqual({ message: { jsonrpc: '2.0', error } })
    expect(read({ id: 1, method: 'ping', params: null })).toEqual({
      message: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
  })

  test('a byte order mark and CRLF are accepted', () => {
    expect(readMessage(`\uFEFF${message({ id: 1, result: {} })}\r`)).toHaveProperty('message')
  })
})

describe('invalid messages are classified', () => {
  test.for<[string, string, string, string | number | null]>([
    [
      'an id that cannot be converted',
      '{"jsonrpc":"2.0","id":{"toString":1,"valueOf":1},"result":{}}',
      'response',
      null,
    ],
    ['an array as id', '{"jsonrpc":"2.0","id":[5],"result":{}}', 'response', null],
    ['an id out of range', '{"jsonrpc":"2.0","id":1e400,"result":{}}', 'response', null],
    ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 'request', null],
    ['null as the id of a request', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 'request', null],
    ['an id that is too long', message({ id: 'x'.repeat(1_001), method: 'ping' }), 'request', null],
    ['a deep result', `{"jsonrpc":"2.0","id":5,"result":${nested(20_000)}}`, 'response', 5],
    [
      'a deep result before the id',
      `{"jsonrpc":"2.0","result":{"a":${nested(20_000)}},"id":"b\\n"}`,
      'response',
      'b\n',
    ],
    [
      'a deep error',
      `{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"","data":${nested(20_000)}}}`,
      'response',
      5,
    ],
    [
      'deep parameters',
      `{"jsonrpc":"2.0","id":6,"method":"a","params":{"_meta":${nested(300)}}}`,
      'request',
      6,
    ],
    [
      'a deep notification',
      `{"jsonrpc":"2.0","method":"a","params":{"a":${nested(300)}}}`,
      'notification',
      null,
    ],
    [
      'an id inside something else',
      `{"jsonrpc":"2.0","result":{"id":7,"a":${nested(300)}}}`,
      'response',
      null,
    ],
    ['half a message', '{"jsonrpc":"2.0","id":5,"result":{"content":[', 'response', 5],
    ['no result', '{"jsonrpc":"2.0","id":5}', 'response', 5],
    ['a result and an error', message({ id: 5, result: {}, error: { code: 1, message: '' } }), 'response', 5],
    ['a result that is an array', message({ id: 5, result: [] }), 'response', 5],
    ['a result that is a string', message({ id: 5, result: 'yes' }), 'response', 5],
    ['a result with an odd _meta', message({ id: 5, result: { _meta: 5 } }), 'response', 5],
    ['an error that is a string', message({ id: 5, error: 'no' }), 'response', 5],
    ['an error with an odd code', message({ id: 5, error: { code: 'E', message: '' } }), 'response', 5],
    ['an error without a message', message({ id: 5, error: { code: 1 } }), 'response', 5],
    ['a method and a result', message({ id: 5, method: 'a', result: {} }), 'request', 5],
    ['parameters that are an array', message({ id: 5, method: 'a', params: [] }), 'request', 5],
    ['an odd _meta', message({ id: 5, method: 'a', params: { _meta: [] } }), 'request', 5],
    [
      'an odd progress token',
      message({ id: 5, method: 'a', params: { _meta: { progressToken: {} } } }),
      'request',
      5,
    ],
    ['another version', '{"jsonrpc":"1.0","id":5,"method":"a"}', 'request', 5],
    ['a method that is a number', message({ id: 5, method: 7 }), 'response', 5],
    ['a log line', '{"level":"error","id":5,"error":"no such file"}', 'none', null],
    ['a batch', '[{"jsonrpc":"2.0","id":5,"method":"ping"}]', 'none', null],
    ['text', 'Server started', 'none', null],
    ['nothing', '', 'none', null],
    ['NUL', '\0', 'none', null],
  ])('%s', ([_name, json, kind, id]) => {
    const read = readMessage(json)
    // The id of a log line does not matter.
    expect(read).toMatchObject({ kind, ...(kind !== 'none' && { id }) })
    expect(read).toHaveProperty('problem')
  })

  test('the problem does not quote the message', () => {
    expect(readMessage('{"jsonrpc":"2.0","id":1,"result":"sesame"}')).toMatchObject({
      code: -32_600,
      problem: 'expected "result" to be an object, and its "_meta" as well',
    })
    expect(readMessage('{"jsonrpc":"2.0","id":1,"result":"sesame')).toMatchObject({
      code: -32_700,
      problem: 'it is not JSON',
    })
    expect(readMessage(nested(maxJsonDepth + 1))).toMatchObject({
      problem: 'it is nested more than 200 levels deep',
    })
  })

  test('an oversized message is classified by its ends', () => {
    const large = message({ id: 8, result: { text: 'x'.repeat(2_000) } })
    const ends = (json: string): [string, string] => [json.slice(0, 512), json.slice(-512)]
    expect(oversizedMessage(5, ...ends(large))).toMatchObject({ kind: 'response', id: 8 })
    const last = message({ method: 'a', params: { text: 'x'.repeat(2_000) }, id: 'last' })
    expect(oversizedMessage(5, ...ends(last))).toMatchObject({ kind: 'request', id: 'last' })
    const nowhere = message({ params: { text: 'x'.repeat(2_000) }, id: 9, z: 'y'.repeat(600) })
    expect(oversizedMessage(5, ...ends(nowhere))).toMatchObject({ kind: 'none', id: null })
  })
})

describe('any input', () => {
  const anything = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc
      .record(
        {
          jsonrpc: fc.constantFrom('2.0', '1.0'),
          id: fc.jsonValue(),
          method: fc.oneof(fc.string(), fc.jsonValue()),
          params: fc.jsonValue(),
          result: fc.jsonValue(),
          error: fc.oneof(fc.jsonValue(), fc.record({ code: fc.jsonValue(), message: fc.jsonValue() })),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  )

  const some = fc.jsonValue({ maxDepth: 1 })

  test('is a message that the SDK accepts, or a problem', () => {
    fc.assert(
      fc.property(anything, fc.nat(), (json, cut) => {
        for (const text of [json, json.slice(0, cut % (json.length + 1))]) {
          const read = readMessage(text)
          if ('problem' in read) expect(read.problem).not.toBe('')
          else if ('id' in read.message && read.message.id !== undefined)
            expect(isJSONRPCRequest(read.message) || isJSONRPCResponse(read.message)).toBe(true)
        }
      }),
    )
  })

  test('the same messages are valid as for the SDK', () => {
    const meta = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.record({ progressToken: fc.jsonValue() }),
      fc.record({ 'io.modelcontextprotocol/related-task': fc.oneof(some, fc.record({ taskId: some })) }),
      fc.record({ 'io.modelcontextprotocol/serverInfo': fc.jsonValue() }),
    )
    const members = fc.oneof(
      fc.record({ method: fc.constant('m'), params: fc.record({ _meta: meta }) }),
      fc.record({ result: fc.oneof(fc.object(), fc.record({ _meta: meta })) }),
      fc.record({ error: fc.record({ code: some, message: some, data: some }) }),
    )
    fc.assert(
      fc.property(members, (value) => {
        const json = message({ id: 1, ...value })
        const parsed: unknown = JSON.parse(json)
        const isValid = isJSONRPCRequest(parsed) || isJSONRPCResponse(parsed)
        expect('message' in readMessage(json)).toBe(isValid)
      }),
      { numRuns: 500 },
    )
  })

  test('a long string with backslashes is fast', () => {
    const start = performance.now()
    readMessage(`{"jsonrpc":"2.0","id":1,"result":"${'\\'.repeat(4_000_001)}"`)
    readMessage(`{"jsonrpc":"2.0","id":1,"result":"${'\\"'.repeat(2_000_000)}`)
    expect(performance.now() - start).toBeLessThan(20_000)
  })
})

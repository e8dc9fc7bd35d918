import { describe, expect, test } from 'vitest'
import { checkParamHeaders } from './check-param-headers.ts'

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    deep: { properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    plain: { type: 'string' },
  },
}
const ok = { 'mcp-param-region': 'eu', 'mcp-param-count': '42.0' }

describe('arguments in headers', () => {
  test.each([
    [{ region: 'eu', deep: { count: 42 } }, ok, null],
    [{ region: null, plain: 'x' }, {}, null],
    [undefined, {}, null],
    [{}, { 'mcp-param-region': 'ignored' }, null],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }, null],
    [
      { region: 'Grüße' },
      { 'mcp-param-region': `=?base64?${Buffer.from('Grüße').toString('base64')}?=` },
      null,
    ],
    [{ region: 'SGVsbG8=' }, { 'mcp-param-region': 'SGVsbG8=' }, null],
    [{ region: '=?base64?SGVsbG8=' }, { 'mcp-param-region': '=?base64?SGVsbG8=' }, null],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }, 'is not valid Base64'],
    [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }, 'is not valid Base64'],
    [{ region: 'eu' }, {}, 'Mcp-Param-Region for region is missing'],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }, 'differs from region'],
    [{ deep: { count: 42 } }, { 'mcp-param-count': '0x2a' }, 'differs from deep.count'],
  ])('%j with %j', (args, headers, message) => {
    const rejection = checkParamHeaders(schema, args, headers)
    if (message === null) expect(rejection).toBeNull()
    else
      expect(rejection).toMatchObject({
        status: 400,
        code: -32020,
        message: expect.stringContaining(message),
      })
  })

  test('a circular schema terminates, and no schema requires nothing', () => {
    const circle: Record<string, unknown> = { type: 'object' }
    circle.properties = { a: circle, b: circle }
    expect(checkParamHeaders(circle, { a: { a: 1 } }, {})).toBeNull()
    expect(checkParamHeaders(undefined, {}, {})).toBeNull()
  })
})

import { formatProblem } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { described, useApis } from './support/api-files.ts'

const apis = useApis()

describe('an invalid API file is reported with file and field, and does not affect others', () => {
  const url = 'https://api.example.com/x'
  const endpoint = { url }
  test.each<[string, unknown, RegExp]>([
    ['not JSON', '{"description": ', /broken\.json: is not JSON: .+/],
    ['not an object', '[]', /broken\.json: must be object/],
    [
      'a resource with an unknown parameter',
      { ...described, endpoint, resources: ['{constructor}'] },
      /broken\.json: resources\[0\]: \{constructor\} is not a parameter/,
    ],
    [
      'flags that contradict each other',
      { ...described, endpoint, readOnly: true, idempotent: false },
      /broken\.json: idempotent: false contradicts readOnly: true/,
    ],
    ['no endpoint', described, /endpoint: is required/],
    ['no description', { endpoint }, /description: is required/],
    ['no URL', { ...described, endpoint: {} }, /endpoint\.url: is required/],
    [
      'a file URL',
      { ...described, endpoint: { url: 'file:///etc/passwd' } },
      /endpoint\.url: must start with https/,
    ],
    ['a relative URL', { ...described, endpoint: { url: '/x' } }, /endpoint\.url: must start with https/],
    [
      'a URL without host',
      { ...described, endpoint: { url: 'http:///x' } },
      /endpoint\.url: has an invalid host/,
    ],
    [
      'an invalid host',
      { ...described, endpoint: { url: 'http://a b/' } },
      /endpoint\.url: contains a space/,
    ],
    [
      'an invalid port',
      { ...described, endpoint: { url: 'http://a:99999/' } },
      /endpoint\.url: has an invalid host/,
    ],
    [
      'credentials in the URL',
      { ...described, endpoint: { url: 'https://me:pass@example.com/' } },
      /endpoint\.url: contains credentials; use "auth"/,
    ],
    [
      'a backslash',
      { ...described, endpoint: { url: 'https://a.example\\@b.example/' } },
      /endpoint\.url: contains a/,
    ],
    [
      'a parameter in the host',
      { ...described, endpoint: { url: 'https://{h}.example.com/' }, parameters: { h: { type: 'string' } } },
      /endpoint\.url: has \{x\} in its host/,
    ],
    [
      'a parameter in the port',
      { ...described, endpoint: { url: 'https://a.example:{p}/' }, parameters: { p: { type: 'string' } } },
      /endpoint\.url: has \{x\} in its host/,
    ],
    ['a fragment', { ...described, endpoint: { url: `${url}#a` } }, /endpoint\.url: has a fragment after #/],
    ['a lone brace', { ...described, endpoint: { url: `${url}/{a` } }, /endpoint\.url: has a brace/],
    ['dots', { ...described, endpoint: { url: `${url}/%2E./a` } }, /endpoint\.url: has a \. or \.\. segment/],
    [
      'a placeholder that is not a parameter',
      { ...described, endpoint: { url: `${url}/{id}` } },
      /endpoint\.url: \{id\} is not a parameter/,
    ],
    [
      'the same in the query',
      { ...described, endpoint: { url: `${url}?a={id}` } },
      /endpoint\.url: \{id\} is not a parameter/,
    ],
    [
      'the same in a header',
      { ...described, endpoint: { url, headers: { A: 'x{toString}' } } },
      /endpoint\.headers\.A: \{toString\} is not a parameter/,
    ],
    [
      'an object in a path',
      { ...described, endpoint: { url: `${url}/{o}` }, parameters: { o: { type: 'object' } } },
      /endpoint\.url: \{o\} is an object/,
    ],
    [
      'an unknown method',
      { ...described, endpoint: { url, method: 'FETCH' } },
      /endpoint\.method: must be one of "GET"/,
    ],
    [
      'an unknown content type',
      { ...described, endpoint: { url, content_type: 'xml' } },
      /endpoint\.content_type: must be one of/,
    ],
    [
      'a negative timeout',
      { ...described, endpoint: { url, timeout: -1 } },
      /endpoint\.timeout: must be > 0/,
    ],
    [
      'a timeout without unit',
      { ...described, endpoint: { url, timeout: 'soon' } },
      /endpoint\.timeout: expected .+, got "soon"/,
    ],
    [
      'an unknown auth type',
      { ...described, endpoint, auth: { type: 'oauth', env: 'K' } },
      /auth\.type: must be one of "bearer"/,
    ],
    ['auth without a name', { ...described, endpoint, auth: { type: 'bearer' } }, /auth\.env: is required/],
    [
      'auth with a value',
      { ...described, endpoint, auth: { type: 'bearer', env: 'sk-1 2' } },
      /auth\.env: must match/,
    ],
    [
      'an invalid auth header',
      { ...described, endpoint, auth: { type: 'apikey', env: 'K', header: 'a b' } },
      /auth\.header: is not a valid header name/,
    ],
    [
      'an invalid header name',
      { ...described, endpoint: { url, headers: { 'a:b': '1' } } },
      /endpoint\.headers\.a:b: is not a valid header name/,
    ],
    [
      'a header with a line break',
      { ...described, endpoint: { url, headers: { A: '1\r\nB: 2' } } },
      /endpoint\.headers\.A: contains a line break/,
    ],
    [
      'a header of the connection',
      { ...described, endpoint: { url, headers: { Host: 'b' } } },
      /endpoint\.headers\.Host: is set by the connection/,
    ],
    [
      'a header set twice',
      { ...described, endpoint: { url, headers: { A: '1', a: '2' } } },
      /endpoint\.headers\.a: is set twice/,
    ],
    [
      'a header that auth sets',
      {
        ...described,
        endpoint: { url, headers: { authorization: 'x' } },
        auth: { type: 'bearer', env: 'K' },
      },
      /endpoint\.headers\.authorization: is set twice/,
    ],
    [
      'an unknown type',
      { ...described, endpoint, parameters: { a: { type: 'date' } } },
      /parameters\.a\.type: must be one of "string"/,
    ],
    ['no type', { ...described, endpoint, parameters: { a: {} } }, /parameters\.a\.type: is required/],
    [
      'a default outside its enum',
      { ...described, endpoint, parameters: { a: { type: 'string', enum: ['x'], default: 'y' } } },
      /parameters\.a\.default: expected one of enum, got "y"/,
    ],
    [
      'a default of another type',
      { ...described, endpoint, parameters: { a: { type: 'boolean', default: 'no' } } },
      /parameters\.a\.default: expected a value of type boolean, got "no"/,
    ],
    [
      'a choice of another type',
      { ...described, endpoint, parameters: { a: { type: 'integer', enum: [1, '2'] } } },
      /parameters\.a\.enum: expected values of type integer, got "2"/,
    ],
    [
      'a parameter without a name',
      { ...described, endpoint, parameters: { '': { type: 'string' } } },
      /parameters\.: expected a name/,
    ],
    [
      'a parameter named __proto__',
      '{"description":"D.","endpoint":{"url":"https://a.example"},"parameters":{"__proto__":{"type":"string"}}}',
      /parameters\.__proto__: expected a name/,
    ],
    [
      'items that are not a schema',
      { ...described, endpoint, parameters: { a: { type: 'array', items: { type: 7 } } } },
      /parameters: not a valid JSON Schema/,
    ],
    [
      'a query value that is also a parameter',
      { ...described, endpoint: { url, query: { a: 1 } }, parameters: { a: { type: 'string' } } },
      /endpoint\.query\.a: is also a parameter/,
    ],
    ['an invalid name', { ...described, endpoint, name: 'a b' }, /name: expected .+, got ".*a b"/],
    [
      'an unknown format',
      { ...described, endpoint, response: { format: 'xml' } },
      /response\.format: must be one of "json", "text"/,
    ],
  ])('%s', async (_name, definition, expected) => {
    const file = apis.files.write('broken', definition)
    apis.files.write('good', { ...described, endpoint })
    const { tools, problems } = await apis.files.load()
    expect(problems.map(formatProblem).join('\n')).toMatch(expected)
    for (const problem of problems) expect(problem).toMatchObject({ file, severity: 'error' })
    expect(tools.map(({ tool }) => tool.name)).toEqual(['api_good'])
  })

  test('warns about unknown fields and unencrypted secrets', async () => {
    apis.files.write('typo', { ...described, endpoint: { url, methd: 'POST' } })
    apis.files.write('plain', {
      ...described,
      endpoint: { url: 'http://a.example' },
      auth: { type: 'bearer', env: 'K' },
    })
    apis.files.write('local', {
      ...described,
      endpoint: { url: 'http://localhost:1' },
      auth: { type: 'bearer', env: 'K' },
    })
    const { tools, problems } = await apis.files.load()
    expect(tools).toHaveLength(3)
    expect(problems.map(({ severity, field, message }) => `${severity} ${field}: ${message}`)).toEqual([
      'warning endpoint.url: is not https, so others on the network can read the secret',
      expect.stringMatching(/^warning endpoint\.methd: unknown field.+did you mean "method"/),
    ])
  })

  test('reports a name that is defined twice, and ignores files other than .json', async () => {
    apis.files.write('a', { ...described, name: 'same', endpoint })
    apis.files.write('b', { ...described, name: 'api_same', endpoint })
    apis.files.write('.hidden', 'x')
    const { tools, problems } = await apis.files.load()
    expect(tools).toHaveLength(1)
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/b\.json: name: api_same is already defined in .+a\.json/),
    ])
  })
})

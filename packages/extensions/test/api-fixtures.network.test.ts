import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { messageOf, useApis } from './support/api-files.ts'
import type { ApiServer, Respond, Seen } from './support/api-server.ts'

const folder = join(import.meta.dirname, 'fixtures', 'apis')
const names = readdirSync(folder).map((name) => name.replace('.json', ''))
const apis = useApis()
let server: ApiServer

/** API files for public services; the server responds like they do. */
beforeEach(async () => {
  server = await apis.serve(answer)
  for (const name of names) {
    const text = readFileSync(join(folder, `${name}.json`), 'utf8')
    apis.files.write(name, text.replaceAll('https://api.example.test', server.url))
  }
  const keys = { GITHUB_TOKEN: 'ghp_1', SLACK_TOKEN: 'xoxb-1', STRIPE_KEY: 'sk_test:', BRAVE_KEY: 'BSA1' }
  for (const [name, value] of Object.entries({ ...keys, NASA_KEY: 'DEMO', TODO_TOKEN: 't1' })) {
    process.env[`APITEST_${name}`] = value
  }
})

const issues = [1, 2, 3, 4, 5].map((number) => ({
  number,
  title: `Issue ${number}`,
  user: { login: 'ada' },
  labels: [{ name: number % 2 === 0 ? 'bug' : 'idea' }],
}))

const routes: readonly (readonly [RegExp, (seen: Seen, match: RegExpExecArray) => unknown])[] = [
  [
    /^GET \/api\/v3\/simple\/price$/,
    ({ query }) => {
      const [currency, cap] = [query.get('vs_currencies')!, query.get('include_market_cap') === 'true']
      const prices = query
        .get('ids')!
        .split(',')
        .map((id) => [id, { [currency]: 42.5, ...(cap && { [`${currency}_market_cap`]: 1e12 }) }])
      return Object.fromEntries(prices)
    },
  ],
  [
    /^GET \/repos\/ada\/engine\/issues\/(\d+)$/,
    ({ headers }, [, number]) =>
      headers.authorization === 'Bearer ghp_1'
        ? (issues[Number(number) - 1] ?? [404, { message: 'Not Found' }])
        : [401, { message: 'Bad credentials' }],
  ],
  [
    /^GET \/repos\/ada\/engine\/issues$/,
    ({ query }) => {
      const [size, page] = [Number(query.get('per_page')), Number(query.get('page'))]
      const labels = query.getAll('labels')
      return issues
        .filter((issue) => labels.length === 0 || labels.includes(issue.labels[0]!.name))
        .slice((page - 1) * size, page * size)
    },
  ],
  [
    /^GET \/v1\/forecast$/,
    ({ query }) => ({
      latitude: Number(query.get('latitude')),
      timezone: query.get('timezone'),
      hourly: Object.fromEntries(query.getAll('hourly').map((name) => [name, [1, 2, 3]])),
      hourly_units: { temperature_2m: query.get('temperature_unit') === 'celsius' ? '°C' : '°F' },
    }),
  ],
  [
    /^POST \/api\/chat\.postMessage$/,
    ({ headers, body }) =>
      headers.authorization === 'Bearer xoxb-1' ? { ok: true, message: JSON.parse(body) } : { ok: false },
  ],
  [
    /^POST \/v1\/charges$/,
    ({ headers, body }) =>
      headers.authorization === `Basic ${btoa('sk_test:')}`
        ? { id: 'ch_1', form: [...new URLSearchParams(body)] }
        : [401, { error: { type: 'invalid_request_error', message: 'Invalid API Key' } }],
  ],
  [
    /^GET \/res\/v1\/web\/search$/,
    ({ headers, query }) =>
      headers['x-subscription-token'] === 'BSA1'
        ? { web: { results: [{ title: query.get('q'), rank: Number(query.get('count')) }] } }
        : [403, { error: 'forbidden' }],
  ],
  [
    /^GET \/planetary\/apod$/,
    ({ query }) =>
      query.get('api_key') === 'DEMO'
        ? { title: 'Nebula', date: query.get('date') }
        : [403, { error: 'API_KEY_INVALID' }],
  ],
  [
    /^GET \/api\/rest_v1\/page\/summary\/(.+)$/,
    (_seen, [, title]) => ({ title: decodeURIComponent(title!) }),
  ],
  [
    /^POST \/graphql$/,
    ({ body }) => ({
      data: { country: { code: JSON.parse(body).variables.code, languages: [{ name: 'Norsk' }] } },
    }),
  ],
  [
    /^PATCH \/rest\/v2\/tasks\/(\w+)$/,
    ({ headers, body }, [, id]) =>
      headers.authorization === 'Token t1' ? { id, ...JSON.parse(body) } : [401, 'no'],
  ],
  [/^DELETE \/rest\/v2\/tasks\/(\w+)$/, () => [204, undefined]],
]

const answer: Respond = (seen, response) => {
  if (seen.query.has('format')) {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    return void response.end(
      `${decodeURIComponent(seen.path.slice(1))}: ⛅ +8°C (${seen.headers['accept-language']})\n`,
    )
  }
  for (const [pattern, route] of routes) {
    const match = pattern.exec(`${seen.method} ${seen.path}`)
    if (match === null) continue
    const result = route(seen, match)
    const [status, value] = Array.isArray(result) && typeof result[0] === 'number' ? result : [200, result]
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    return void response.end(value === undefined ? undefined : JSON.stringify(value))
  }
  response.writeHead(404).end('no route')
}

test('every file loads without problems', async () => {
  const { tools, problems } = await apis.files.load()
  expect(problems).toEqual([])
  expect(tools.map(({ tool }) => tool.name)).toEqual(names.map((name) => `api_${name}`))
  expect(names.length).toBeGreaterThanOrEqual(10)
})

describe('the results', () => {
  test.each<[string, object, unknown]>([
    ['coingecko_price', { ids: 'bitcoin,dogecoin' }, { bitcoin: { usd: 42.5 }, dogecoin: { usd: 42.5 } }],
    [
      'coingecko_price',
      { ids: 'bitcoin', vs_currencies: 'eur', include_market_cap: true },
      { bitcoin: { eur: 42.5, eur_market_cap: 1e12 } },
    ],
    [
      'github_issue',
      { owner: 'ada', repo: 'engine', number: 2 },
      { number: 2, labels: [{ name: 'bug' }], user: { login: 'ada' } },
    ],
    ['github_issues', { owner: 'ada', repo: 'engine' }, [{ number: 1 }, { number: 2 }]],
    ['github_issues', { owner: 'ada', repo: 'engine', page: 3 }, [{ number: 5 }]],
    ['github_issues', { owner: 'ada', repo: 'engine', page: 4 }, []],
    [
      'github_issues',
      { owner: 'ada', repo: 'engine', labels: ['bug'], per_page: 9 },
      [{ number: 2 }, { number: 4 }],
    ],
    [
      'open_meteo',
      { latitude: 59.9, longitude: 10.7 },
      {
        latitude: 59.9,
        timezone: 'UTC',
        hourly: { temperature_2m: [1, 2, 3] },
        hourly_units: { temperature_2m: '°C' },
      },
    ],
    [
      'open_meteo',
      { latitude: 1, longitude: 1, hourly: ['rain', 'snow'], temperature_unit: 'fahrenheit' },
      { hourly: { rain: [1, 2, 3], snow: [1, 2, 3] } },
    ],
    [
      'slack_message',
      { channel: '#a', text: 'hi "you"\n', blocks: [{ type: 'divider' }] },
      {
        ok: true,
        message: { channel: '#a', text: 'hi "you"\n', blocks: [{ type: 'divider' }], unfurl_links: false },
      },
    ],
    [
      'stripe_charge',
      { amount: 100, source: 'tok', 'expand[]': ['customer', 'invoice'] },
      {
        form: [
          ['amount', '100'],
          ['currency', 'eur'],
          ['source', 'tok'],
          ['expand[]', 'customer'],
          ['expand[]', 'invoice'],
        ],
      },
    ],
    ['brave_search', { q: 'cats & dogs' }, { web: { results: [{ title: 'cats & dogs', rank: 3 }] } }],
    ['nasa_picture', { date: '2026-01-01' }, { title: 'Nebula', date: '2026-01-01' }],
    ['nasa_picture', {}, { date: null }],
    ['weather_report', { city: 'São Paulo', language: 'pt' }, 'São Paulo: ⛅ +8°C (pt)\n'],
    ['wikipedia_summary', { title: 'AC/DC' }, { title: 'AC/DC' }],
    [
      'graphql_countries',
      { query: 'query ($code: ID!) { country(code: $code) { code } }', variables: { code: 'NO' } },
      { data: { country: { code: 'NO', languages: [{ name: 'Norsk' }] } } },
    ],
    [
      'todo_update',
      { id: 'x1', done: true, due: { date: '2026-02-03' }, labels: ['a'] },
      { id: 'x1', done: true, due: { date: '2026-02-03' }, labels: ['a'] },
    ],
    ['todo_delete', { id: 'x1' }, null],
  ])('%s %j', async (name, params, value) => {
    const result = await apis.files.call(`api_${name}`, params)
    expect(messageOf(result)).toBe('')
    expect(result).toMatchObject({ status: 'success', value })
  })

  test.each([
    [
      'github_issue',
      { owner: 'ada', repo: 'engine', number: 9 },
      'TOOL_FAILED',
      /404 Not Found\n\{"message":"Not Found"\}/,
    ],
    ['open_meteo', { latitude: 1, longitude: 1, temperature_unit: 'kelvin' }, 'INVALID_PARAMS', /celsius/],
    ['wikipedia_summary', { title: '../../admin' }, 'INVALID_PARAMS', /title/],
    ['stripe_charge', { amount: 1.5, source: 'x' }, 'INVALID_PARAMS', /amount/],
  ])('%s %j fails', async (name, params, code, expected) => {
    const result = await apis.files.call(`api_${name}`, params)
    expect(result).toMatchObject({ code })
    expect(messageOf(result)).toMatch(expected)
  })

  test.each([
    ['APITEST_GITHUB_TOKEN', 'github_issue', { owner: 'ada', repo: 'engine', number: 1 }],
    ['APITEST_STRIPE_KEY', 'stripe_charge', { amount: 1, source: 'x' }],
    ['APITEST_BRAVE_KEY', 'brave_search', { q: 'x' }],
    ['APITEST_NASA_KEY', 'nasa_picture', {}],
    ['APITEST_TODO_TOKEN', 'todo_update', { id: 'x' }],
  ])('with an invalid %s, the call fails with CREDENTIAL_REQUIRED', async (key, name, params) => {
    process.env[key] = 'wrong:key'
    const result = await apis.files.call(`api_${name}`, params)
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    expect(messageOf(result)).toContain(key)
    expect(messageOf(result)).not.toContain('wrong:key')
  })
})

import { expect, test } from 'vitest'
import { describeApi } from '../api/load-apis.ts'
import { describeScript } from '../script/load-scripts.ts'
import type { LoadedTools } from './loaded-tools.ts'

const fields = ({ tools, problems }: LoadedTools) => {
  expect(tools).toEqual([])
  return problems.map(({ field }) => field)
}

test('every mistake in a tool.json is reported, whichever check finds it', () => {
  const mistakes = { timeout: '5 parsecs', readOnly: 'yes', parameters: { type: 'strng' } }
  expect(fields(describeScript(mistakes, '/x/tool.json'))).toEqual([
    'description',
    'readOnly',
    'timeout',
    'parameters',
  ])
  const others = {
    description: 'B.',
    name: 'bad name',
    readOnly: true,
    idempotent: false,
    resources: ['{x}'],
  }
  expect(fields(describeScript(others, '/x/tool.json'))).toEqual(['resources[0]', 'name', 'idempotent'])
})

test('the places of several mistakes in an array are those in the file, and their number is bounded', () => {
  const script = (resources: readonly string[]) =>
    fields(describeScript({ description: 'B.', resources }, '/x/tool.json'))
  expect(script(['a', '{x}', 'b', '{y}', '{z}'])).toEqual(['resources[1]', 'resources[3]', 'resources[4]'])
  expect(script(Array.from({ length: 5_000 }, () => '{x}')).length).toBeLessThan(100)
})

test('every mistake in an API file is reported', () => {
  const endpoint = { url: 'ftp://x/{y}', timeout: '5 parsecs', method: 'GTE', headers: { 'b d': 'x' } }
  const file = { endpoint, resources: ['{z}'], parameters: { q: { type: 'strng' } } }
  expect(fields(describeApi(file, '/x/api.json'))).toEqual([
    'description',
    'endpoint.method',
    'parameters.q.type',
    'endpoint.url',
    'endpoint.headers.b d',
    'resources[0]',
    'endpoint.timeout',
  ])
})

test('what only follows from a mistake is not reported', () => {
  const script = { description: 'B.', parameters: [], resources: ['{x}'] }
  expect(new Set(fields(describeScript(script, '/x/tool.json')))).toEqual(new Set(['parameters']))
  const endpoint = { url: 'x/{a}', method: 'POST', content_type: 'raw' }
  const parameters = { a: { type: 'string' }, b: { type: 'string' } }
  expect(fields(describeApi({ description: 'C.', endpoint, parameters }, '/x/api.json'))).toEqual([
    'endpoint.url',
  ])
  const broken = { description: 'C.', endpoint: { url: 'https://x/{a}' }, parameters: { a: 'string' } }
  expect(fields(describeApi(broken, '/x/api.json'))).toEqual(['parameters.a'])
})

test('an API file with a longer timeout than the cap is loaded, with a warning', () => {
  const endpoint = { url: 'https://x', timeout: 900 }
  const { tools, problems } = describeApi({ description: 'C.', endpoint }, '/x/api.json')
  expect(tools).toHaveLength(1)
  expect(problems).toEqual([
    {
      severity: 'warning',
      file: '/x/api.json',
      field: 'endpoint.timeout',
      message: "15 min exceeds the adapter's cap of 5 min, which applies",
    },
  ])
})

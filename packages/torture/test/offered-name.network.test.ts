import { afterAll, expect, test } from 'vitest'
import { ScriptedModel } from '../dist/trial/scripted-model.js'

const model = await ScriptedModel.start('openai')
afterAll(() => model.close())

const offered = (names: readonly string[], name: string): string =>
  model.offeredName(
    {
      path: '',
      headers: {},
      body: { tools: names.map((one) => ({ type: 'function', function: { name: one } })) },
    },
    name,
  )

test.each([
  ['the same name', ['sleeps', 'quick'], 'quick', 'quick'],
  ['a prefix', ['mcp__torture__sleeps', 'mcp__torture__quick'], 'quick', 'mcp__torture__quick'],
  [
    'the name of a server',
    ['mcp__plain__quick', 'mcp__hostile__quick'],
    'hostile/quick',
    'mcp__hostile__quick',
  ],
  ['no part of another word', ['slow-effect', 'effect'], 'effect', 'effect'],
  ['underscores instead of hyphens', ['slow_effect'], 'slow-effect', 'slow_effect'],
])('%s', (_, names, name, expected) => {
  expect(offered(names, name)).toBe(expected)
})

test('an unknown name stays', () => {
  expect(offered(['quick'], 'no-such-tool')).toBe('no-such-tool')
  expect(offered(['quick'], '__proto__')).toBe('__proto__')
})

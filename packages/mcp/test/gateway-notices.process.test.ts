import { expect, test } from 'vitest'
import { type Gateway, startGateway } from './helpers/gateway.ts'
import { hostileHome } from './helpers/hostile.ts'

/** The text of each block of a result. */
async function blocks(gateway: Gateway, name: string, params = {}): Promise<string[]> {
  const { content } = await gateway.client.callTool({ name, arguments: params })
  return content.map((block) => (block.type === 'text' ? block.text : block.type))
}

const notice = expect.stringMatching(/^\[curfew\] .*tool calls of this turn are used/)

test('a notice is its own block after results and failures', async () => {
  await using home = await hostileHome('structured-result')
  // The last call within the limit has a notice.
  const args = ['--builtins', '--set', 'limits.callsPerTurn=1']
  for (const [name, params, check] of [
    ['mcp__hostile__act', {}, (text: string) => expect(JSON.parse(text)).toEqual({ answer: 42 })],
    [
      'timeout',
      { command_args: ['echo', 'hi'], seconds: 10 },
      (text: string) => expect(JSON.parse(text)).toMatchObject({ exit_code: 0 }),
    ],
    ['sleep', { seconds: -1 }, (text: string) => expect(text).toMatch(/^INVALID_PARAMS/)],
  ] as const) {
    await using gateway = await startGateway(home, { args })
    const [first, second, ...more] = await blocks(gateway, name, params)
    check(first!)
    expect(first).not.toContain('[curfew]')
    expect([second, more]).toEqual([notice, []])
  }
})

test('a truncated text ends before the notice', async () => {
  await using home = await hostileHome('healthy')
  const args = ['--set', 'limits.callsPerTurn=1', '--set', 'maxContentLength=1000']
  await using gateway = await startGateway(home, { args })
  const found = await blocks(gateway, 'mcp__healthy__echo', { text: 'x'.repeat(5_000) })
  expect(found).toEqual([expect.stringMatching(/^x+.*\.txt/s), notice])
  expect(found[0]).not.toContain('[curfew]')
})

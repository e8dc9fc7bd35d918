import { expect, test } from 'vitest'
import { startGateway } from './helpers/gateway.ts'
import { hostileHome } from './helpers/hostile.ts'
import { legacy, modern } from './helpers/http-gateway.ts'
import { knownTools } from './helpers/stage.ts'

test.for([
  ['2025', 'full', legacy],
  ['2026', 'brief', modern],
] as const)(
  'a failure of a tool with an output schema passes the validation of a client (%s, %s)',
  async ([, view, options]) => {
    await using home = await hostileHome('never-answers-with-schema', { timeout: 500 })
    await using gateway = await startGateway(home, { ...options, args: ['--view', view] })
    const { client } = gateway
    const name = 'mcp__hostile__act'
    // After listing, the client knows the schema and validates every result.
    await knownTools(gateway)
    const { tools } = await client.listTools()
    expect(tools.find((tool) => tool.name === name)?.outputSchema).toBeDefined()
    const result = await client.callTool({ name, arguments: {} })
    expect(result.isError).toBe(true)
    expect(result.structuredContent).toBeUndefined()
    expect(result._meta?.['curfew/error']).toMatchObject({
      code: 'TOOL_TIMEOUT',
      limitMs: 500,
      source: 'server',
      retrySafe: false,
    })
    const [text] = result.content
    expect(text).toMatchObject({ type: 'text', text: expect.stringContaining('TOOL_TIMEOUT') })
    expect(JSON.stringify(text)).toMatch(/500 ms.*its server's timeout.*check before you retry/)
  },
)

test('without a listed output schema, the details are structured content', async () => {
  await using home = await hostileHome('never-answers', { timeout: 500 })
  await using gateway = await startGateway(home)
  await knownTools(gateway)
  const result = await gateway.client.callTool({ name: 'mcp__hostile__act', arguments: {} })
  expect(result.structuredContent).toMatchObject({ code: 'TOOL_TIMEOUT' })
  expect(result._meta).toBeUndefined()
})

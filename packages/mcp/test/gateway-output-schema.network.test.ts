import { expect, test } from 'vitest'
import { startGateway } from './helpers/gateway.ts'
import { hostileHome } from './helpers/hostile.ts'
import { legacy, modern } from './helpers/http-gateway.ts'
import { simpleTool, startInProcessServer, testFolder } from './helpers/in-process-server.ts'
import { startLocalGateway } from './helpers/local-gateway.ts'
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

const point = { properties: { x: { type: 'number' } }, required: ['x'] }

test.for([
  ['2025', 'an array', legacy, { type: 'array', items: { type: 'number' } }, [1, 2], { result: [1, 2] }],
  ['2026', 'an array', modern, { type: 'array', items: { type: 'number' } }, [1, 2], [1, 2]],
  [
    '2025',
    'a reference',
    legacy,
    { type: 'object', $ref: '#/$defs/p', $defs: { p: point } },
    { x: 1 },
    { x: 1 },
  ],
  ['2025', 'alternatives', legacy, { anyOf: [point] }, { x: 1 }, { result: { x: 1 } }],
] as const)(
  'a %s client gets a result that matches the listed output schema: %s',
  async ([, , options, outputSchema, structured, expected]) => {
    const tools = [simpleTool('measure', { outputSchema })]
    const { config } = await startInProcessServer('meter', { tools, structured })
    for (const view of ['brief', 'full'] as const) {
      const gateway = await startLocalGateway({
        servers: [config],
        stateFolder: await testFolder(),
        runtime: { approval: { default: 'allow' } },
        view,
      })
      const { client } = await gateway.connect(options)
      // After listing, the client knows the schema and validates every result.
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('mcp__meter__measure')
      const { structuredContent } = await client.callTool({ name: 'mcp__meter__measure', arguments: {} })
      expect(structuredContent).toEqual(expected)
    }
  },
)

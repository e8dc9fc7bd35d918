import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { createHome, type Home, startGateway } from './helpers/gateway.ts'
import { hostileHome, recorded } from './helpers/hostile.ts'

const sdk = new URL('../../cli/test/fixtures/telemetry-sdk.mjs', import.meta.url).href
const everything = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve('@modelcontextprotocol/server-everything/package.json')),
)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

interface SpanLine {
  readonly name?: string
  readonly spanId: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** The same home, for a gateway that records spans. */
function traced(home: Home): Home {
  const env = { ...home.env, NODE_OPTIONS: `--import ${sdk}`, SPANS: join(home.folder, 'spans.jsonl') }
  return { ...home, env }
}

/** The spans that the gateway exports when it ends. */
async function spansOf(home: Home, count: number): Promise<SpanLine[]> {
  const file = join(home.folder, 'spans.jsonl')
  const read = (): SpanLine[] => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
    return lines.map((line): SpanLine => JSON.parse(line)).filter(({ name }) => name !== undefined)
  }
  await until(() => read().length >= count)
  return read()
}

test('the span of a call is between that of the client and those of the server', async () => {
  await using home = await hostileHome('healthy')
  const gateway = await startGateway(traced(home))
  const _meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' }
  await gateway.client.callTool({ name: 'mcp__hostile__echo', arguments: { text: 'a' }, _meta })
  await gateway.close()
  const [span, ...others] = await spansOf(home, 1)
  expect(others).toEqual([])
  expect(span).toMatchObject({
    name: 'execute_tool mcp__hostile__echo',
    kind: 0,
    traceId,
    parent: '00f067aa0ba902b7',
    attributes: {
      'gen_ai.tool.type': 'extension',
      'mcp.method.name': 'tools/call',
      'network.transport': 'pipe',
      'curfew.mcp.server': 'hostile',
    },
  })
  expect(recorded(home, 'tools/call')).toMatchObject([
    { detail: { meta: { traceparent: `00-${traceId}-${span!.spanId}-01`, tracestate: 'vendor=1' } } },
  ])
})

test('other requests to a server are spans of its client, and no tool calls', async () => {
  await using home = await createHome(({ tag }) => ({
    everything: { command: process.execPath, args: [everything, 'stdio'], env: { TEST_TAG: tag } },
  }))
  const gateway = await startGateway(traced(home))
  await gateway.client.getPrompt({ name: 'simple-prompt' })
  await gateway.close()
  const [span] = await spansOf(home, 1)
  expect(span).toMatchObject({
    name: 'prompts/get',
    kind: 2,
    attributes: { 'mcp.method.name': 'prompts/get', 'curfew.mcp.server': 'everything' },
  })
  expect(span!.attributes).not.toHaveProperty('gen_ai.operation.name')
  expect(span!.attributes).not.toHaveProperty('gen_ai.tool.name')
})

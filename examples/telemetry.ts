// OpenTelemetry: a turn of an agent, its requests to a model, its calls, and a command that continues the trace.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentOptions, createAgent } from '@curfew/agent'
import { createRuntime, defineTool, timeoutTool } from '@curfew/core'
import { traceModel, traceRuntime, traceTurns } from '@curfew/journal/telemetry'

const folder = mkdtempSync(join(tmpdir(), 'curfew-telemetry-'))
process.env.SPANS_FILE = join(folder, 'spans.jsonl')
await import('./telemetry-sdk.ts')

const runtime = createRuntime({ approval: 'allow' })
traceRuntime(runtime)
runtime.register(
  timeoutTool,
  defineTool({
    name: 'deploy',
    description: 'Deploy the project.',
    // A nested call is a child of this call's span, and so is every span that code in here starts.
    async execute(_params, context) {
      const command_args = [process.execPath, '-p', 'process.env.TRACEPARENT']
      const [result] = await context.execute([
        { id: 'check', name: 'timeout', params: { command_args, seconds: 20 } },
      ])
      process.stdout.write(`command: TRACEPARENT=${result!.output}`)
      return 'deployed'
    },
  }),
)

const agent = createAgent({
  name: 'releaser',
  runtime,
  model: traceModel(scriptedModel(), { redact: runtime.redact }),
  turnMiddleware: traceTurns(runtime),
})
for await (const event of agent.send('Deploy it.'))
  if (event.type === 'text') process.stdout.write(`${event.text}\n\n`)
await agent.close()
await runtime.close()

interface SpanLine {
  readonly name: string
  readonly spanId: string
  readonly parent: string | null
}
const lines = readFileSync(process.env.SPANS_FILE, 'utf8').trim().split('\n')
const spans = lines.map((line): SpanLine => JSON.parse(line))
show(null, '')
rmSync(folder, { recursive: true })

/** Prints the spans inside another one. */
function show(parent: string | null, indent: string): void {
  for (const span of spans.filter((other) => other.parent === parent)) {
    process.stdout.write(`${indent}${span.name}\n`)
    show(span.spanId, `${indent}  `)
  }
}

/** Stands in for a model that deploys, then answers. */
function scriptedModel(): AgentOptions['model'] {
  const usage = {
    inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  }
  let requests = 0
  return {
    specificationVersion: 'v4',
    provider: 'example',
    modelId: 'example-1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream() {
      const isFirst = requests++ === 0
      return {
        stream: new ReadableStream({
          start(controller) {
            if (isFirst)
              controller.enqueue({ type: 'tool-call', toolCallId: 'call_1', toolName: 'deploy', input: '{}' })
            else controller.enqueue({ type: 'text-delta', id: '1', delta: 'It is deployed.' })
            const finishReason = {
              unified: isFirst ? ('tool-calls' as const) : ('stop' as const),
              raw: undefined,
            }
            controller.enqueue({ type: 'finish', usage, finishReason })
            controller.close()
          },
        }),
      }
    },
  }
}

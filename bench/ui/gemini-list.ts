import type { MessageBus, ToolResult } from '@google/gemini-cli-core'
import { serve } from '../side.ts'
import { type GeminiCall, loadGeminiBundle } from './gemini-bundle.ts'
import { type ChunkTasks, listedCalls, MeasuredScreen } from './measured-screen.ts'

const { core, useToolScheduler, react, render, Box, Text } = await loadGeminiBundle()
const { createElement } = react
const screen = new MeasuredScreen()
type UpdateOutput = (output: string) => void
const outputs: UpdateOutput[] = []

class HoldInvocation extends core.BaseToolInvocation {
  override getDescription(): string {
    return 'Runs until the end.'
  }

  override execute({ updateOutput }: { updateOutput: UpdateOutput }): Promise<ToolResult> {
    return new Promise(() => outputs.push(updateOutput))
  }
}

class HoldTool extends core.BaseDeclarativeTool {
  constructor(bus: MessageBus) {
    const schema = { type: 'object', properties: { i: { type: 'number' } } }
    super('hold', 'hold', 'Runs until the end.', core.Kind.Other, schema, bus, false, true)
  }

  override createInvocation(params: object, bus: MessageBus = this.messageBus): HoldInvocation {
    return new HoldInvocation(params, bus, this.name, this.name)
  }
}

const approvalMode = core.ApprovalMode.YOLO
const config = new core.Config({
  sessionId: 'bench',
  targetDir: process.cwd(),
  cwd: process.cwd(),
  debugMode: false,
  model: 'gemini-2.5-flash',
  usageStatisticsEnabled: false,
  telemetry: { enabled: false },
  interactive: false,
  clientVersion: 'bench',
  approvalMode,
  policyEngineConfig: await core.createPolicyEngineConfig({}, approvalMode),
})
await config.initialize()
config.toolRegistry.registerTool(new HoldTool(config.getMessageBus()))

interface RowProps {
  readonly status: string
  readonly name: string
  readonly line: string
}

const Row = ({ status, name, line }: RowProps) => {
  screen.rowRendered(line)
  return createElement(Text, { wrap: 'truncate' }, `${status} ${name} ${line}`)
}

/** A row whose strings stay the same is not rendered. The hook makes a new object of every call, so rows that get those cannot be memoized. */
const ShownRow = process.argv.includes('--memoize') ? react.memo(Row) : Row
let schedule: ReturnType<typeof useToolScheduler>[1]

function List() {
  const [calls, scheduleCalls] = useToolScheduler(
    async () => {},
    config,
    () => undefined,
  )
  schedule = scheduleCalls
  return createElement(Box, { flexDirection: 'column' }, calls.map(rowOf))
}

function rowOf({ request, status, liveOutput }: GeminiCall) {
  const line = typeof liveOutput === 'string' ? liveOutput : ''
  return createElement(ShownRow, { key: request.callId, name: request.name, status, line })
}

render(createElement(List), {
  stdout: screen.stdout,
  stderr: screen.stdout,
  stdin: screen.stdin,
  onRender: screen.onRender,
  exitOnCtrlC: false,
  patchConsole: false,
  incrementalRendering: true,
})
const requests = Array.from({ length: listedCalls }, (_, i) => ({
  callId: `call-${i}`,
  name: 'hold',
  args: { i },
  isClientInitiated: false,
  prompt_id: 'bench',
}))
void schedule!(requests, new AbortController().signal)
while (outputs.length < listedCalls) await new Promise((resolve) => setImmediate(resolve))

serve<ChunkTasks>(screen.tasks((line) => outputs.at(-1)!(line)))

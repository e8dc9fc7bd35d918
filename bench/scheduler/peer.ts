import {
  ApprovalMode,
  BaseDeclarativeTool,
  BaseToolInvocation,
  Config,
  createPolicyEngineConfig,
  Kind,
  type MessageBus,
  MessageBusType,
  Scheduler,
  type ToolCallRequest,
  type ToolResult,
} from '@google/gemini-cli-core'
import { serve } from '../side.ts'
import { type SchedulerTasks, timeEach } from './time-each.ts'

class NoopInvocation extends BaseToolInvocation {
  override getDescription(): string {
    return 'Does nothing.'
  }

  override async execute(): Promise<ToolResult> {
    return { llmContent: 'ok', returnDisplay: 'ok' }
  }
}

class NoopTool extends BaseDeclarativeTool {
  constructor(bus: MessageBus) {
    const schema = { type: 'object', properties: { i: { type: 'number' } }, required: ['i'] }
    super('noop', 'noop', 'Does nothing.', Kind.Other, schema, bus)
  }

  override createInvocation(params: object, bus: MessageBus = this.messageBus): NoopInvocation {
    return new NoopInvocation(params, bus, this.name, this.name)
  }
}

const approvalMode = ApprovalMode.YOLO
const config = new Config({
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
  policyEngineConfig: await createPolicyEngineConfig({}, approvalMode),
})
await config.initialize()
const bus = config.getMessageBus()
const tool = new NoopTool(bus)
if (process.argv.includes('--memoize')) {
  // It rebuilds its schema on every access, so its validator compiles it for every call.
  const schema = tool.getSchema()
  Object.defineProperty(tool, 'schema', { get: () => schema })
}
config.toolRegistry.registerTool(tool)
let notifications = 0
bus.subscribe(MessageBusType.TOOL_CALLS_UPDATE, () => {
  notifications++
})
let sequence = 0

serve<SchedulerTasks>({
  batches: (size, repeat) =>
    timeEach(repeat, () => {
      const requests = requestsOf(size)
      return () => schedule([requests])
    }),

  async oneAtATime(count) {
    const [ms] = await timeEach(1, () => {
      const requests = requestsOf(count)
      return () => schedule(requests)
    })
    return ms!
  },
})

function requestsOf(count: number): ToolCallRequest[] {
  return Array.from({ length: count }, () => ({
    callId: `call-${++sequence}`,
    name: tool.name,
    args: { i: sequence },
    isClientInitiated: false,
    prompt_id: 'bench',
  }))
}

/** Runs one batch or one call after the other. */
async function schedule(work: readonly (ToolCallRequest | ToolCallRequest[])[]): Promise<void> {
  const scheduler = new Scheduler({
    context: config,
    messageBus: bus,
    getPreferredEditor: () => undefined,
    schedulerId: 'bench',
  })
  for (const requests of work) {
    const before = notifications
    const results = await scheduler.schedule(requests, new AbortController().signal)
    const failed = results.find(({ status }) => status !== 'success')
    if (failed !== undefined)
      throw new Error(`a call ended with ${failed.status}: ${failed.response.error?.message}`)
    if (notifications === before) throw new Error('expected a notification, got none')
  }
  scheduler.dispose()
}

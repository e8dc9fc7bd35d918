import type { Adapter } from './adapter-timeouts.ts'
import { adapterTimeouts } from './adapter-timeouts.ts'

/** The deadline of a call for which nobody wrote anything down anywhere. */
export const defaultToolCallTimeoutMs = 180_000

/**
 * Who set a limit: the first seven in falling precedence, then the three that only ever shorten it. `server` stands for
 * `tool` where the tool is one of an MCP server.
 */
export type TimeoutSource =
  | 'call'
  | 'tool'
  | 'server'
  | 'timeouts'
  | 'toolCallTimeout'
  | 'adapter'
  | 'default'
  | 'adapterCap'
  | 'maxToolCallTimeout'
  | 'parent'

/** All in milliseconds; what nobody set is left out. */
export interface TimeoutInputs {
  readonly adapter: Adapter
  /** Written on the call. */
  readonly call?: number | undefined
  /** Written on the tool, or for the server that it is of. */
  readonly tool?: number | undefined
  /** The rows of the adapter table that the configuration overrides. */
  readonly timeouts?: Readonly<Partial<Record<Adapter, number>>> | undefined
  readonly toolCallTimeout?: number | undefined
  readonly maxToolCallTimeout?: number | undefined
  /** What is left of the parent call's deadline. */
  readonly parentRemaining?: number | undefined
}

export interface ResolvedTimeout {
  readonly timeoutMs: number
  readonly source: TimeoutSource
  /** What was asked for before a cap, `maxToolCallTimeout` or the parent's deadline cut it short. */
  readonly requested?: { readonly timeoutMs: number; readonly source: TimeoutSource }
}

/** The one place that decides how long a call may take, and says who decided it. */
export function resolveTimeout(inputs: TimeoutInputs): ResolvedTimeout {
  const requested = request(inputs)
  let effective = requested
  const clamp = (limitMs: number | null | undefined, source: TimeoutSource): void => {
    if (limitMs != null && limitMs < effective.timeoutMs) effective = { timeoutMs: limitMs, source }
  }
  clamp(adapterTimeouts[inputs.adapter].capMs, 'adapterCap')
  clamp(inputs.maxToolCallTimeout, 'maxToolCallTimeout')
  clamp(inputs.parentRemaining, 'parent')
  return effective === requested ? requested : { ...effective, requested }
}

function request(inputs: TimeoutInputs): ResolvedTimeout {
  if (inputs.call !== undefined) return { timeoutMs: inputs.call, source: 'call' }
  if (inputs.tool !== undefined) {
    const isServer = inputs.adapter === 'mcp-stdio' || inputs.adapter === 'mcp-http'
    return { timeoutMs: inputs.tool, source: isServer ? 'server' : 'tool' }
  }
  const row = inputs.timeouts?.[inputs.adapter]
  if (row !== undefined) return { timeoutMs: row, source: 'timeouts' }
  if (inputs.toolCallTimeout !== undefined) {
    return { timeoutMs: inputs.toolCallTimeout, source: 'toolCallTimeout' }
  }
  const { defaultMs } = adapterTimeouts[inputs.adapter]
  if (defaultMs !== null) return { timeoutMs: defaultMs, source: 'adapter' }
  return { timeoutMs: defaultToolCallTimeoutMs, source: 'default' }
}

const descriptions: Record<TimeoutSource, string> = {
  call: 'set on the call',
  tool: "the tool's own timeout",
  server: "its server's timeout in mcp.json",
  timeouts: 'the timeouts row of its adapter in the configuration',
  toolCallTimeout: 'toolCallTimeout in the configuration',
  adapter: "its adapter's default",
  default: 'the default',
  adapterCap: "its adapter's hard cap",
  maxToolCallTimeout: 'maxToolCallTimeout in the configuration',
  parent: "what was left of its parent call's deadline",
}

export function describeSource(source: TimeoutSource): string {
  return descriptions[source]
}

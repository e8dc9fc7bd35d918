import type { Adapter } from './adapter-timeouts.ts'
import { adapterTimeouts } from './adapter-timeouts.ts'

/** The timeout of a call if none is set anywhere. */
export const defaultToolCallTimeoutMs = 180_000

/**
 * Where a timeout was set: the first eight in descending precedence, then the four that only shorten it. `tools` is an entry of the
 * runtime's option of that name. `server` replaces `tool` for tools of an MCP server.
 */
export type TimeoutSource =
  | 'call'
  | 'tools'
  | 'tool'
  | 'server'
  | 'timeouts'
  | 'toolCallTimeout'
  | 'adapter'
  | 'default'
  | 'adapterCap'
  | 'maxToolCallTimeout'
  | 'maxSubagentTimeout'
  | 'parent'

/** All in milliseconds. */
export interface TimeoutInputs {
  readonly adapter: Adapter
  /** Set on the call. */
  readonly call?: number | undefined
  /** Set for the tool in the runtime's option `tools`. */
  readonly tools?: number | undefined
  /** Set on the tool, or on its server. */
  readonly tool?: number | undefined
  /** Adapter defaults overridden in the configuration. */
  readonly timeouts?: Readonly<Partial<Record<Adapter, number>>> | undefined
  readonly toolCallTimeout?: number | undefined
  readonly maxToolCallTimeout?: number | undefined
  /** `MAX_SUBAGENT_TIMEOUT_MIN`. */
  readonly maxSubagentTimeout?: number | undefined
  /** The time left on the parent call's deadline. */
  readonly parentRemaining?: number | undefined
}

export interface ResolvedTimeout {
  readonly timeoutMs: number
  readonly source: TimeoutSource
  /** The timeout before a cap, a maximum or the parent's deadline shortened it. */
  readonly requested?: { readonly timeoutMs: number; readonly source: TimeoutSource }
}

/** Computes the effective timeout of a call and where it was set. */
export function resolveTimeout(inputs: TimeoutInputs): ResolvedTimeout {
  const requested = request(inputs)
  let effective = requested
  const clamp = (limitMs: number | null | undefined, source: TimeoutSource): void => {
    if (limitMs != null && limitMs < effective.timeoutMs) effective = { timeoutMs: limitMs, source }
  }
  clamp(adapterTimeouts[inputs.adapter].capMs, 'adapterCap')
  clamp(inputs.maxToolCallTimeout, 'maxToolCallTimeout')
  clamp(inputs.maxSubagentTimeout, 'maxSubagentTimeout')
  clamp(inputs.parentRemaining, 'parent')
  return effective === requested ? requested : { ...effective, requested }
}

function request(inputs: TimeoutInputs): ResolvedTimeout {
  if (inputs.call !== undefined) return { timeoutMs: inputs.call, source: 'call' }
  if (inputs.tools !== undefined) return { timeoutMs: inputs.tools, source: 'tools' }
  if (inputs.tool !== undefined) {
    const isServer = inputs.adapter === 'mcp-stdio' || inputs.adapter === 'mcp-http'
    return { timeoutMs: inputs.tool, source: isServer ? 'server' : 'tool' }
  }
  const configured = inputs.timeouts?.[inputs.adapter]
  if (configured !== undefined) return { timeoutMs: configured, source: 'timeouts' }
  const { toolCallTimeout } = inputs
  const { defaultMs } = adapterTimeouts[inputs.adapter]
  // A long default is raised, never lowered: to lower it, a person sets the adapter's own entry in `timeouts`.
  const keepsDefault =
    defaultMs !== null && defaultMs > defaultToolCallTimeoutMs && defaultMs >= (toolCallTimeout ?? 0)
  if (toolCallTimeout !== undefined && !keepsDefault) {
    return { timeoutMs: toolCallTimeout, source: 'toolCallTimeout' }
  }
  if (defaultMs !== null) return { timeoutMs: defaultMs, source: 'adapter' }
  return { timeoutMs: defaultToolCallTimeoutMs, source: 'default' }
}

const descriptions: Record<TimeoutSource, string> = {
  call: 'set on the call',
  tools: 'tools in the configuration',
  tool: "the tool's own timeout",
  server: "its server's timeout in mcp.json",
  timeouts: "its adapter's entry in timeouts in the configuration",
  toolCallTimeout: 'toolCallTimeout in the configuration',
  adapter: "its adapter's default",
  default: 'the default',
  adapterCap: "its adapter's hard cap",
  maxToolCallTimeout: 'maxToolCallTimeout in the configuration',
  maxSubagentTimeout: 'MAX_SUBAGENT_TIMEOUT_MIN in the environment',
  parent: "the time left on its parent call's deadline",
}

/** `setting` is the exact setting, such as `timeouts.script`, and `place` the file that sets it, where they are known. */
export function describeSource(source: TimeoutSource, setting?: string, place = 'the configuration'): string {
  return setting === undefined ? descriptions[source] : `${setting} in ${place}`
}

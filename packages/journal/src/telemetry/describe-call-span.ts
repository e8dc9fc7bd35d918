import type { CallResult, Transition } from '@curfew/core'
import type { Attributes } from '@opentelemetry/api'
import * as names from './attributes.ts'
import { boundedName } from './bounded-text.ts'

export interface CallSpanDescription {
  readonly name: string
  /** `CLIENT` for a request to an MCP server other than a tool call. */
  readonly kind: 'INTERNAL' | 'CLIENT'
  readonly attributes: Attributes
  /** The attributes of the metric; `null` for a request other than a tool call. */
  readonly metric: Attributes | null
}

/** What is known about a call when its span starts. `agent` is the name of the agent that requested it. */
export function describeCallSpan({ uid, name, call }: Transition, agent: string | null): CallSpanDescription {
  const { adapter, server, deadline, allowedBy, background } = call
  const ofAgent = agent !== null && { [names.agentName]: boundedName(agent) }
  const own: Attributes = {
    [names.callUid]: uid,
    ...(adapter !== null && { [names.adapter]: adapter }),
    ...(server !== null && { [names.serverName]: boundedName(server) }),
    ...(deadline !== null && {
      [names.timeoutMs]: deadline.timeoutMs,
      [names.timeoutSource]: deadline.source,
    }),
    ...(allowedBy !== null && { [names.allowedBy]: allowedBy.kind }),
    ...(background && { [names.background]: true }),
  }
  const method = requestMethod(name, call)
  if (method !== null) {
    const attributes = { [names.mcpMethod]: method, ...transportOf(adapter), ...ofAgent, ...own }
    return { name: method, kind: 'CLIENT', attributes, metric: null }
  }
  const tool: Attributes = {
    [names.toolName]: boundedName(name),
    ...(adapter !== null && { [names.toolType]: typeOf(adapter) }),
    ...ofAgent,
  }
  return {
    name: `${names.operations.executeTool} ${boundedName(name)}`,
    kind: 'INTERNAL',
    attributes: {
      [names.operationName]: names.operations.executeTool,
      ...tool,
      ...(isMcp(adapter) && { [names.mcpMethod]: 'tools/call', ...transportOf(adapter) }),
      ...own,
    },
    metric: tool,
  }
}

/** What is known when it ends. */
export function describeCallEnd(call: Transition['call'], result: CallResult): Attributes {
  const { pausedMs, detachedTo } = call
  return {
    ...(pausedMs > 0 && { [names.pausedMs]: Math.round(pausedMs) }),
    ...(detachedTo !== null && { [names.detachedTo]: detachedTo }),
    ...(result.status === 'success' && result.loaded && { [names.loaded]: true }),
    ...(result.status !== 'success' && result.abandoned && { [names.abandoned]: true }),
  }
}

type Adapter = Transition['call']['adapter']

function isMcp(adapter: Adapter): boolean {
  return adapter === 'mcp-stdio' || adapter === 'mcp-http'
}

function transportOf(adapter: Adapter): Attributes {
  return { [names.networkTransport]: adapter === 'mcp-stdio' ? 'pipe' : 'tcp' }
}

/** The conventions call a tool an extension if it bridges to an external API. */
function typeOf(adapter: Adapter): string {
  return adapter === 'api' || isMcp(adapter) ? 'extension' : 'function'
}

/** The gateway sends prompts, resources and completions through a tool `mcp/<server>`; the method is one of its own. */
function requestMethod(name: string, { adapter, args }: Transition['call']): string | null {
  if (!isMcp(adapter) || !name.startsWith('mcp/')) return null
  const { method } = Object(args) as { readonly method?: unknown }
  return typeof method === 'string' ? boundedName(method) : 'request'
}

import type { Tool, ToolContext } from '@curfew/core'
import { defineToolFrom, matchGlob } from '@curfew/core/internal'
import type { CallToolResult, Tool as ToolDefinition } from '@modelcontextprotocol/client'
import { toolName } from '../../names/tool-names.ts'
import { outcomeOfResult, partsOfResult, textOfResult } from '../connection/result-text.ts'
import type { UpstreamRequest } from '../connection/send-request.ts'
import { toolError } from '../connection/tool-error.ts'
import type { Upstream } from '../upstream.ts'
import { alwaysLoadKey } from './always-load.ts'
import { callUpstreamTool } from './call-upstream-tool.ts'
import { denyChanged } from './deny-changed.ts'
import type { ForwardedCall } from './forwarded-call.ts'
import { lenientSchema } from './lenient-schema.ts'
import { type OutgoingCall, sendCall } from './send-call.ts'

/** A tool of a server, as it is registered with the runtime. */
export interface UpstreamTool {
  readonly tool: Tool
  /** The server's definition, as it was pinned, unless `pin` lets the server change it. */
  readonly definition: ToolDefinition
  readonly upstream: Upstream
}

export interface UpstreamToolOptions {
  /** Returns the forwarded call with this id. Without it, a server's requests go to its bridge. */
  readonly forwardedCall?: ((callId: string) => ForwardedCall | undefined) | undefined
  /** Converts a result to what the model reads. */
  readonly textOf?: ((result: CallToolResult) => string) | undefined
  /** Whether the call's result has `parts`; its `value` contains the same. @default true */
  readonly parts?: boolean | undefined
  /** Applies the runtime's settings to a tool. */
  readonly effective?: ((tool: Tool) => Tool) | undefined
}

/** How long a cancelled request may take to be answered. */
const graceMs = 250

/** Defines every tool of a server that is used and that its `include` and `exclude` allow. */
export function upstreamTools(upstream: Upstream, options: UpstreamToolOptions = {}): UpstreamTool[] {
  const { include, exclude } = upstream.config
  const isIn = (globs: readonly string[], name: string): boolean =>
    globs.some((glob) => matchGlob(glob, name))
  const tools = upstream.state.tools
    .filter(({ name }) => (include === null || isIn(include, name)) && !isIn(exclude, name))
    .map((definition) => defineUpstreamTool(upstream, definition, options))
  // Different names may become the same when they are made usable.
  return [...new Map(tools.map((entry) => [entry.tool.name, entry])).values()]
}

function defineUpstreamTool(
  upstream: Upstream,
  definition: ToolDefinition,
  options: UpstreamToolOptions,
): UpstreamTool {
  const { textOf = textOfResult, parts = true, effective = (tool) => tool } = options
  const { name, description, title, inputSchema } = definition
  const defined = defineToolFrom(
    {
      name: toolName(upstream.name, name),
      title: title?.trim() || undefined,
      description: description?.trim() || title?.trim() || `Call ${name}.`,
      parameters: lenientSchema(inputSchema),
      alwaysLoad: definition._meta?.[alwaysLoadKey] === true,
      ...behaviour(definition, upstream.config.trust),
      ...limits(upstream),
      polling: !upstream.config.loops,
      execute: async (params, context) => {
        const sending = {
          repeatable: isRepeatable(upstream, definition, tool),
          beforeSend: () => denyChanged(upstream, name, context),
        }
        const result = await onConnection(upstream, context, options, sending, (call) =>
          callUpstreamTool(call, definition, params),
        )
        if (result.isError === true) throw toolError(result as CallToolResult)
        return result
      },
    },
    {
      ...adapter(upstream),
      validatesItself: !upstream.config.strict,
      textOf: (value) => textOf(value as CallToolResult),
      outcomeOf: (value) => outcomeOfResult(value as CallToolResult),
      ...(parts && { partsOf: (value) => partsOfResult(value as CallToolResult) }),
    },
  )
  const tool = effective(defined as unknown as Tool)
  return { tool, definition, upstream }
}

export function requestToolName({ name }: Upstream): string {
  return `mcp/${name}`
}

/** Defines a tool for all other requests to a server, so that they are bounded like calls. */
export function requestTool(upstream: Upstream, options: UpstreamToolOptions = {}): Tool {
  const tool = defineToolFrom(
    {
      name: requestToolName(upstream),
      description: `Send a request to the MCP server ${upstream.name}.`,
      parameters: lenientSchema({ type: 'object' }),
      readOnly: true,
      alwaysLoad: true,
      polling: true,
      ...limits(upstream),
      execute: (request, context) =>
        onConnection(upstream, context, options, { repeatable: true }, (call) =>
          sendCall(call, request as unknown as UpstreamRequest),
        ),
    },
    { ...adapter(upstream), validatesItself: true, textOf: () => 'answered' },
  )
  return tool as unknown as Tool
}

function limits({ config, secrets }: Upstream): object {
  const { timeoutMs, idleTimeoutMs } = config
  return {
    secrets,
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(idleTimeoutMs !== undefined && { idleTimeout: idleTimeoutMs }),
  }
}

function adapter({ config, secretUse }: Upstream) {
  const kind = config.target.kind === 'stdio' ? ('mcp-stdio' as const) : ('mcp-http' as const)
  return { adapter: kind, server: config.name, secretUse, graceMs }
}

/** A server's annotations are claims, which count only if the configuration trusts the server. */
function behaviour({ annotations }: ToolDefinition, trust: boolean): object {
  if (!trust || annotations === undefined) return {}
  const { readOnlyHint = false, destructiveHint, idempotentHint, openWorldHint } = annotations
  return {
    readOnly: readOnlyHint,
    ...(!readOnlyHint && destructiveHint !== undefined && { destructive: destructiveHint }),
    ...(idempotentHint !== undefined && { idempotent: idempotentHint || readOnlyHint }),
    ...(openWorldHint !== undefined && { openWorld: openWorldHint }),
  }
}

/** Runs a request of a call on the connection for its client. */
async function onConnection(
  shared: Upstream,
  context: ToolContext,
  { forwardedCall }: UpstreamToolOptions,
  options: OutgoingCall['options'],
  send: (call: OutgoingCall) => Promise<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const forwarded = forwardedCall?.(context.callId)
  const run = (upstream: Upstream): Promise<Record<string, unknown>> =>
    send({ upstream, context, forwarded, options })
  return await (forwarded === undefined ? run(shared) : forwarded.withConnection(shared, context, run))
}

/** After a lost connection, it is unknown whether a call had its effect. The user's settings count more than the server's annotations. */
function isRepeatable(
  { config }: Upstream,
  { annotations }: ToolDefinition,
  { overrides, idempotent }: Tool,
): boolean {
  if (overrides?.idempotent !== undefined || overrides?.readOnly !== undefined) return idempotent
  const { readOnlyHint, idempotentHint } = annotations ?? {}
  return config.trust && (readOnlyHint === true || idempotentHint === true)
}

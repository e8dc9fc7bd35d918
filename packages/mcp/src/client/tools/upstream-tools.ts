import { CurfewError, type Tool, type ToolContext } from '@curfew/core'
import { compileSchema, defineToolFrom, matchGlob } from '@curfew/core/internal'
import type { CallToolResult, Progress, Tool as ToolDefinition } from '@modelcontextprotocol/client'
import { toolName } from '../../names/tool-names.ts'
import { textOfResult } from '../connection/result-text.ts'
import type { UpstreamRequest } from '../connection/send-request.ts'
import type { SecretReader } from '../connection/server-secrets.ts'
import { toolError } from '../connection/upstream-error.ts'
import type { Upstream, UpstreamRequestOptions } from '../upstream.ts'

/** A tool of a server, as the runtime knows it. */
export interface UpstreamTool {
  readonly tool: Tool
  /** As the server describes it, or described it when it was first seen. */
  readonly definition: ToolDefinition
  readonly upstream: Upstream
}

/** What somebody who passes a call on knows of it beside its arguments. */
export interface ForwardedCall {
  /** For the server: `_meta`, and the answers to what it asked before. */
  paramsFor(era: 'legacy' | 'modern'): Record<string, unknown>
  onProgress(progress: Progress): void
  /** The connection to a server that this call belongs on: some servers need one for each client. */
  connectionFor(upstream: Upstream): Upstream
  /** Waits until the server has what it asked for when it was started. */
  beforeSend(connection: Upstream, signal: AbortSignal): Promise<void>
  /** The call is sent to the server. Returns a function to call at its end; `answered` is false if it was cancelled or timed out. */
  onSent(upstream: Upstream, uid: number): (answered: boolean) => void
}

export interface UpstreamToolOptions {
  /** The call with this id, if it was passed on; without it, what a server asks goes to its bridge. */
  readonly forwardedCall?: ((callId: string) => ForwardedCall | undefined) | undefined
  /** What the model reads of a result. */
  readonly textOf?: ((result: CallToolResult) => string) | undefined
}

/** What a cancelled request and its answer may take. */
const graceMs = 250
/** For a server that wants to know how long it has. */
const remainingKey = 'curfew/remaining-ms'

/** Every tool that a server is known to have and the configuration lets through. */
export function upstreamTools(upstream: Upstream, options: UpstreamToolOptions = {}): UpstreamTool[] {
  const { include, exclude } = upstream.config
  const isIn = (globs: readonly string[], name: string): boolean =>
    globs.some((glob) => matchGlob(glob, name))
  return (upstream.listing?.tools ?? [])
    .filter(({ name }) => (include === null || isIn(include, name)) && !isIn(exclude, name))
    .map((current) => defineUpstreamTool(upstream, upstream.state.pinned(current.name) ?? current, options))
}

function defineUpstreamTool(
  upstream: Upstream,
  definition: ToolDefinition,
  { forwardedCall = () => undefined, textOf = textOfResult }: UpstreamToolOptions,
): UpstreamTool {
  const { config, secrets, secretUse } = upstream
  const { timeoutMs, idleTimeoutMs } = config
  const tool = defineToolFrom(
    {
      name: toolName(config.name, definition.name),
      description: definition.description?.trim() || definition.title?.trim() || `Call ${definition.name}.`,
      parameters: lenientSchema(definition.inputSchema),
      secrets,
      ...behaviour(definition, config.trust),
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(idleTimeoutMs !== undefined && { idleTimeout: idleTimeoutMs }),
      execute: (params, context) =>
        call(upstream, definition.name, params, context, forwardedCall(context.callId)),
    },
    {
      adapter: adapterOf(upstream),
      server: config.name,
      secretUse,
      graceMs,
      textOf: (value) => textOf(value as CallToolResult),
    },
  )
  return { tool: tool as unknown as Tool, definition, upstream }
}

/** For everything that a server can be asked beside its tools: it is bounded like a call. */
export function requestToolName({ name }: Upstream): string {
  return `mcp/${name}`
}

export function requestTool(
  upstream: Upstream,
  { forwardedCall = () => undefined }: UpstreamToolOptions = {},
): Tool {
  const { config, secrets, secretUse } = upstream
  const { timeoutMs, idleTimeoutMs } = config
  const tool = defineToolFrom(
    {
      name: requestToolName(upstream),
      description: `Ask the MCP server ${config.name}.`,
      parameters: lenientSchema({ type: 'object' }),
      secrets,
      readOnly: true,
      alwaysLoad: true,
      polling: true,
      ...(timeoutMs !== undefined && { timeout: timeoutMs }),
      ...(idleTimeoutMs !== undefined && { idleTimeout: idleTimeoutMs }),
      execute: (request, context) =>
        ask(upstream, request as unknown as UpstreamRequest, context, forwardedCall(context.callId)),
    },
    { adapter: adapterOf(upstream), server: config.name, secretUse, graceMs, textOf: () => 'answered' },
  )
  return tool as unknown as Tool
}

function adapterOf({ config }: Upstream): 'mcp-stdio' | 'mcp-http' {
  return config.target.kind === 'stdio' ? 'mcp-stdio' : 'mcp-http'
}

/** What a server says about its tools is a claim; it counts if the configuration trusts the server. */
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

async function call(
  upstream: Upstream,
  name: string,
  params: unknown,
  context: ToolContext,
  passed: ForwardedCall | undefined,
): Promise<unknown> {
  const beforeSend = (): Promise<void> => denyChanged(upstream, name)
  // One that does not run may have taken its change back: it is asked first.
  if (upstream.connected) await beforeSend()
  const request = { method: 'tools/call', params: { name, arguments: params } }
  const result = await ask(upstream, request, context, passed, {
    repeatable: isRepeatable(upstream, name),
    beforeSend,
  })
  if (result.isError === true) throw toolError(result as CallToolResult)
  return result
}

async function ask(
  shared: Upstream,
  request: UpstreamRequest,
  context: ToolContext,
  passed: ForwardedCall | undefined,
  how: Pick<UpstreamRequestOptions, 'repeatable' | 'beforeSend'> = { repeatable: true },
): Promise<Record<string, unknown>> {
  const { signal } = context
  const readSecret: SecretReader = (secret) => context.secret(secret)
  for (;;) {
    const upstream = passed?.connectionFor(shared) ?? shared
    const end = passed?.onSent(upstream, context.uid)
    try {
      await upstream.connect(signal, readSecret)
      // What the server asked while it was started may have made it one that needs a connection for each client.
      if (passed !== undefined && passed.connectionFor(shared) !== upstream) continue
      await passed?.beforeSend(upstream, signal)
      return await upstream.request(() => requestWith(upstream, request, context, passed), {
        signal,
        allowInputRequired: passed !== undefined,
        readSecret,
        ...how,
        onProgress: (progress) => {
          context.progress({ current: progress.progress, total: progress.total, message: progress.message })
          passed?.onProgress(progress)
        },
      })
    } finally {
      end?.(!signal.aborted)
    }
  }
}

/** With what goes along: known only when the server is up, and the time that is left then. */
function requestWith(
  { listing }: Upstream,
  { method, params }: UpstreamRequest,
  { deadline }: ToolContext,
  passed: ForwardedCall | undefined,
): UpstreamRequest {
  const { _meta, ...rest } = passed?.paramsFor(listing?.era ?? 'legacy') ?? {}
  const meta = { ...(_meta as object | undefined), [remainingKey]: Math.floor(deadline.remainingMs) }
  return { method, params: { ...params, ...rest, _meta: meta } }
}

/** After a lost connection nobody knows whether a call had its effect already. */
function isRepeatable({ config, state }: Upstream, name: string): boolean {
  const { readOnlyHint, idempotentHint } = state.pinned(name)?.annotations ?? {}
  return config.trust && (readOnlyHint === true || idempotentHint === true)
}

/** Somebody may have approved it meanwhile. */
async function denyChanged(upstream: Upstream, name: string): Promise<void> {
  const isChanged = (): boolean => upstream.state.changed.some((changed) => changed.name === name)
  if (isChanged()) await upstream.recheck()
  if (isChanged()) throw changedDefinition(upstream.name, name)
}

function changedDefinition(server: string, name: string): CurfewError {
  return new CurfewError(
    'DENIED',
    `the MCP server ${server} has changed the definition of ${name} since it was first seen, so it is not called. ` +
      `A person has to look at the change: curfew mcp approve ${server}`,
    { hadNoEffect: true },
  )
}

/**
 * Arguments are checked, and passed on as they are. A schema that cannot be used checks nothing: the server looks for
 * itself.
 */
function lenientSchema(inputSchema: ToolDefinition['inputSchema']): never {
  const schema = { ...inputSchema, type: 'object' }
  let check: ReturnType<typeof compileSchema>['validate'] | undefined
  const standard = {
    version: 1,
    vendor: 'mcp',
    jsonSchema: { input: () => schema, output: () => schema },
    validate(value: unknown) {
      try {
        // Only tools that are called pay for it.
        check ??= compileSchema(schema, 'inputSchema').validate
      } catch {
        check = (params) => ({ ok: true, params })
      }
      const checked = check(value)
      if (checked instanceof Promise || checked.ok) return { value }
      return {
        issues: checked.issues.map(({ path, message }) => ({ message, path: path === '' ? [] : [path] })),
      }
    },
  }
  return { '~standard': standard } as never
}

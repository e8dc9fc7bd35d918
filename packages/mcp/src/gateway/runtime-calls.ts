import type { CallResult, ToolCall, Turn } from '@curfew/core'
import type { View } from '@curfew/core/internal'
import { withTimer } from '@curfew/core/internal'
import {
  type CallToolResult,
  type HandlerResultTypeMap,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { describeWaiting } from '../client/state/waiting-definitions.ts'
import { requestToolName } from '../client/tools/upstream-tools.ts'
import type { Upstream } from '../client/upstream.ts'
import { toolName } from '../names/tool-names.ts'
import { callToolName, readNamedCall, withoutClientPrefix } from './call-tool.ts'
import type { CatalogEntry } from './catalog.ts'
import type { ClientRequest, RequestServices } from './client-request.ts'
import { explainUnknownTool, ownerOf } from './explain-unknown-tool.ts'
import type { JsonObject } from './json-object.ts'
import { labelQuestions } from './label-questions.ts'
import { callDefinition } from './listed-definition.ts'
import type { MergedLists } from './merged-lists.ts'
import { callWaitMs, type Readiness } from './readiness.ts'
import type { ServedTools } from './scoped-catalog.ts'
import type { ServerSet } from './server-set.ts'
import { mayBeTask } from './task-support.ts'
import { toCallToolResult, toRequestResult, withNotices } from './to-call-tool-result.ts'

export interface RuntimeCallsOptions extends Omit<RequestServices, 'suspended'> {
  readonly catalog: ServedTools
  readonly lists: MergedLists
  readonly readiness: Pick<Readiness, 'missing' | 'wait'>
  readonly view: View
  readonly servers: Pick<ServerSet, 'upstreams'>
  /** The maximum text of a result. */
  readonly maxContentLength: number
  /** Tools of the gateway itself that could not be loaded, with the reason. */
  readonly missingTools: ReadonlyMap<string, string>
}

/** Requests besides `tools/call` that a server answers. */
export type ForwardedMethod = 'prompts/get' | 'resources/read' | 'completion/complete'

/**
 * Calls that a model makes in parallel arrive as separate requests. Those that arrive within this time after one that loads a stub
 * load it, too: the model has not seen the definition yet, so it must not run with its defaults.
 */
const parallelMs = 100

/** Runs the requests of clients as calls of the runtime, so that each has a deadline. */
export class RuntimeCalls {
  readonly #options: RuntimeCallsOptions

  constructor(options: RuntimeCallsOptions) {
    this.#options = options
  }

  /** `tools/call`. With `call_tool`, the named tool is called as if the client had called it. */
  async call(request: ClientRequest, turn: Turn, name: string, params: JsonObject): Promise<CallToolResult> {
    const { view, catalog } = this.#options
    const isNamed = view === 'stub' && name === callToolName && catalog.get(name)?.upstream === null
    const named = isNamed ? readNamedCall(params) : null
    if (named === null) return await this.#call(request, turn, name, params)
    const listed = [named.name, withoutClientPrefix(named.name)].find(
      (each) => catalog.find(each) !== undefined,
    )
    return await this.#call(request, turn, listed ?? named.name, named.params)
  }

  async #call(request: ClientRequest, turn: Turn, name: string, params: JsonObject): Promise<CallToolResult> {
    const { catalog, readiness, maxContentLength } = this.#options
    if (catalog.get(name) === undefined) await readiness.wait(request.signal, 'tools', callWaitMs)
    if (catalog.find(name) === undefined) await this.#startWithKey(request, turn, name)
    const entry = catalog.find(name)
    if (entry === undefined) throw this.#unknownTool(name)
    const result = await this.#execute(request, turn, entry.tool.name, params)
    if (result.status === 'success' && result.loaded) {
      const definition = JSON.stringify(callDefinition(entry))
      const text = request.lasting
        ? `${name} is loaded and did not run. Call it again with arguments for:\n${definition}`
        : `${name} did not run. Call it again with arguments, which must not be empty, for:\n${definition}`
      return withNotices({ content: [{ type: 'text', text }] }, result.notices)
    }
    const converted = toCallToolResult(result, {
      entry,
      listsOutputSchema: catalog.listed(name)?.outputSchema !== undefined,
      maxContentLength,
    })
    return this.#labelled(entry.upstream?.upstream, withNotices(converted, updateNotices(entry)))
  }

  /** Throws if a 2025 client cannot call this tool as a task now. */
  async checkTask(name: string, owner: object, signal: AbortSignal): Promise<void> {
    const { catalog, readiness, tasks } = this.#options
    if (catalog.get(name) === undefined) await readiness.wait(signal, 'tools', callWaitMs)
    const entry = catalog.find(name)
    if (entry === undefined) throw this.#unknownTool(name)
    if (!mayBeTask(entry.upstream?.definition)) {
      const message = `${name} cannot be called as a task; call it without "task"`
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, message)
    }
    if (!tasks.hasRoom(owner))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        'too many tasks are running; wait for one to end',
      )
  }

  /** Starts a server that is unknown because it lacks a key; a person is asked for it, as in a call of a known tool. */
  async #startWithKey(request: ClientRequest, turn: Turn, name: string): Promise<void> {
    const owner = ownerOf(name, this.#options.readiness.missing)
    if (owner?.problem?.code !== 'CREDENTIAL_REQUIRED') return
    await this.#execute(request, turn, requestToolName(owner), { method: 'ping', params: {} })
  }

  /** Any other request that a server answers. */
  async forward<M extends ForwardedMethod>(
    request: ClientRequest,
    turn: Turn,
    method: M,
    params: JsonObject,
  ): Promise<HandlerResultTypeMap[M]> {
    const { readiness, lists } = this.#options
    // If a server lists it, there is no need to wait for the others.
    if (!lists.isListed(method, params)) await readiness.wait(request.signal, 'all', callWaitMs)
    const { upstream, own } = lists.ownerOf(method, params)
    const result = await this.#execute(request, turn, requestToolName(upstream), { method, params: own })
    return this.#labelled(upstream, toRequestResult(result, upstream)) as HandlerResultTypeMap[M]
  }

  #labelled<R extends JsonObject>(upstream: Upstream | undefined, result: R): R {
    if (upstream === undefined || result.inputRequests === undefined) return result
    return labelQuestions(upstream.name, result)
  }

  async #execute(request: ClientRequest, turn: Turn, name: string, params: JsonObject): Promise<CallResult> {
    const { router, connections } = this.#options
    const { id, meta, signal } = request
    router.requests.set(id, request)
    try {
      return await this.#run(request, turn, { id, name, params, meta, signal, outer: request.outer })
    } finally {
      router.requests.delete(id)
      if (!request.lasting) connections.end(request.client)
    }
  }

  async #run(request: ClientRequest, turn: Turn, call: ToolCall): Promise<CallResult> {
    const { view, clock } = this.#options
    if (view !== 'stub') return (await turn.execute([call]))[0]!
    // A stub counts as loaded once its step is closed.
    const step = turn.step()
    try {
      const result = await step.reserve(call).run()
      if (result.status === 'success' && result.loaded && request.lasting)
        await withTimer(clock, parallelMs, (elapsed) => elapsed)
      return result
    } finally {
      step.close()
    }
  }

  #unknownTool(name: string): ProtocolError {
    const { catalog, readiness, missingTools, view, servers } = this.#options
    const entries = [...catalog.entries]
    const sharing = entries.filter(({ upstream }) => upstream?.definition.name === name)
    const names = (sharing.length > 1 ? sharing : entries).map((entry) => entry.name)
    const waiting = servers.upstreams.find(({ name: server, state }) =>
      state.added.some((tool) => tool.name === name || toolName(server, tool.name) === name),
    )
    const reason =
      sharing.length > 1
        ? `several servers have it: ${names.join(', ')}`
        : ((waiting && describeWaiting(waiting.name, waiting.state)) ??
          explainUnknownTool(name, { names, missing: readiness.missing, missingTools, view }))
    const what = sharing.length > 1 ? 'ambiguous' : 'unknown'
    return new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `${what} tool ${JSON.stringify(name)}; ${reason}`,
    )
  }
}

/** With `pin: "notify"`, the model may know the definition that the tool had before. */
function updateNotices({ name, upstream }: CatalogEntry): readonly string[] {
  if (upstream === null || !upstream.upstream.state.takeUpdate(upstream.definition.name)) return []
  const server = upstream.upstream.name
  return [`The MCP server ${server} has changed the definition of ${name}; list the tools again to see it.`]
}

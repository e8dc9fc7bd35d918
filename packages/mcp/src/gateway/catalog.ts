import type { Runtime, Tool } from '@curfew/core'
import { matchGlob, searchToolName, toolAnnotations, toolView, type View } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'
import {
  requestTool,
  type UpstreamTool,
  type UpstreamToolOptions,
  upstreamTools,
} from '../client/tools/upstream-tools.ts'
import type { Upstream } from '../client/upstream.ts'
import { shorten, usableName } from '../names/tool-names.ts'

export interface CatalogOptions {
  readonly view: View
  /** Globs of the tools to serve. @default all */
  readonly include: readonly string[]
  /** Globs of tools that are not served. */
  readonly exclude: readonly string[]
  /** A server's tools keep their own names unless another tool has the same name. */
  readonly unprefixed: boolean
  /** The maximum length of a name that clients accept. */
  readonly nameLimit: number
}

/** A tool that is served. */
export interface CatalogEntry {
  /** Its name for clients. */
  readonly name: string
  readonly tool: Tool
  /** `null` for a tool of the gateway itself. */
  readonly upstream: UpstreamTool | null
}

/** Every served tool: those of the gateway, then those of the servers, always in the same order. */
export class Catalog {
  readonly #runtime: Runtime
  readonly #options: CatalogOptions
  readonly #toolOptions: UpstreamToolOptions
  readonly #gatewayTools: readonly Tool[]
  readonly #upstreams: readonly Upstream[]
  readonly #tools = new Map<Upstream, readonly UpstreamTool[]>()
  readonly #unregister = new Map<Upstream, () => void>()
  #entries: ReadonlyMap<string, CatalogEntry> = new Map()
  #listed: ReadonlyMap<string, ToolDefinition> = new Map()
  #list: readonly ToolDefinition[] = []

  constructor(
    runtime: Runtime,
    gatewayTools: readonly Tool[],
    upstreams: readonly Upstream[],
    options: CatalogOptions,
    toolOptions: UpstreamToolOptions,
  ) {
    this.#runtime = runtime
    this.#gatewayTools = gatewayTools.map(toolOptions.effective ?? ((tool) => tool))
    this.#upstreams = upstreams
    this.#options = options
    this.#toolOptions = toolOptions
    runtime.register(gatewayTools)
    for (const upstream of upstreams) {
      runtime.register(requestTool(upstream, toolOptions))
      this.#register(upstream)
    }
    this.#build()
  }

  get(name: string): CatalogEntry | undefined {
    return this.#entries.get(name)
  }

  /** A tool as clients see it. */
  listed(name: string): ToolDefinition | undefined {
    return this.#listed.get(name)
  }

  get entries(): Iterable<CatalogEntry> {
    return this.#entries.values()
  }

  /** The result of `tools/list`; the same array until it changes. */
  get list(): readonly ToolDefinition[] {
    return this.#list
  }

  /** Updates the tools of a server. Returns whether the list has changed. */
  update(upstream: Upstream): boolean {
    const before = JSON.stringify(this.#list)
    this.#register(upstream)
    this.#build()
    return JSON.stringify(this.#list) !== before
  }

  #register(upstream: Upstream): void {
    this.#unregister.get(upstream)?.()
    const tools = distinct(upstreamTools(upstream, this.#toolOptions))
    this.#tools.set(upstream, tools)
    this.#unregister.set(upstream, this.#runtime.register(tools.map(({ tool }) => tool)))
  }

  #build(): void {
    const served = [
      ...this.#gatewayTools.map((tool) => ({ tool, upstream: null })),
      ...this.#upstreams.flatMap((upstream) =>
        (this.#tools.get(upstream) ?? []).map((entry) => ({ tool: entry.tool, upstream: entry })),
      ),
    ]
    const named = served.map((entry) => ({ ...entry, names: this.#namesFor(entry) }))
    const claims = new Map<string, number>()
    for (const name of named.flatMap(({ names }) => names)) claims.set(name, (claims.get(name) ?? 0) + 1)
    const entries = new Map<string, CatalogEntry>()
    for (const { tool, upstream, names } of named) {
      // If two tools claim a name, neither gets it: otherwise one could take it over from the other.
      const name = names.find(
        (name) => !entries.has(name) && (claims.get(name) === 1 || name === names.at(-1)),
      )
      if (name !== undefined && this.#isServed(name, tool.name)) entries.set(name, { name, tool, upstream })
    }
    this.#entries = entries
    const { view } = this.#options
    this.#listed = new Map([...entries].map(([name, entry]) => [name, definitionOf(entry, view)]))
    this.#list = [...this.#listed.values()]
  }

  /** The possible names of a tool, the preferred one first. */
  #namesFor({ tool, upstream }: { tool: Tool; upstream: UpstreamTool | null }): string[] {
    const { unprefixed, nameLimit } = this.#options
    const short = unprefixed && upstream !== null ? [usableName(upstream.definition.name)] : []
    return [...short, tool.name].map((name) => shorten(name, nameLimit))
  }

  #isServed(...names: readonly string[]): boolean {
    const { include, exclude } = this.#options
    const isIn = (globs: readonly string[]): boolean =>
      globs.some((glob) => names.some((name) => matchGlob(glob, name)))
    // Without the search tool, stubs would be useless.
    return (include.length === 0 || isIn(include) || names.includes(searchToolName)) && !isIn(exclude)
  }
}

/** Different names of a server may become the same when they are made usable. */
function distinct(tools: readonly UpstreamTool[]): UpstreamTool[] {
  return [...new Map(tools.map((entry) => [entry.tool.name, entry])).values()]
}

/** The definition of a tool for clients. The full view contains the server's definition unchanged. */
export function definitionOf({ name, tool, upstream }: CatalogEntry, view: View): ToolDefinition {
  if (view === 'stub' && !tool.alwaysLoad) return { name, inputSchema: { type: 'object' } }
  if (upstream !== null) {
    const { definition } = upstream
    const { annotations, ...rest } = definition
    const isChanged = tool.overrides?.readOnly !== undefined || tool.overrides?.idempotent !== undefined
    // A client may skip its own confirmation because of them.
    const isTrusted = upstream.upstream.config.trust && annotations !== undefined
    const hints = (isTrusted || isChanged) && {
      annotations: { ...(isTrusted && annotations), ...(isChanged && toolAnnotations(tool)) },
    }
    if (view === 'full') return { ...rest, name, ...hints }
    const { description, inputSchema } = definition
    return { name, ...(description !== undefined && { description }), inputSchema, ...hints }
  }
  const { description, parameters } = toolView(tool, view)
  const { title, meta } = tool
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { type: 'object', ...parameters },
    annotations: toolAnnotations(tool),
    ...(meta !== undefined && { _meta: { ...meta } }),
  }
}

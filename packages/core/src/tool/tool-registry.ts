import { CurfewError } from '../errors/curfew-error.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { Tool } from './tool.ts'
import type { ToolView, View } from './tool-views.ts'
import { toolView } from './tool-views.ts'

/** The tools of a runtime, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>()
  readonly #missing: ReadonlyMap<string, string>
  readonly #effective: (tool: Tool) => Tool

  /**
   * `missing`: tools that could not be loaded, by name, with the reason. `effective` applies the runtime's settings to a tool; it returns
   * the same object each time.
   */
  constructor(
    missing: ReadonlyMap<string, string> = new Map(),
    effective: (tool: Tool) => Tool = (tool) => tool,
  ) {
    this.#missing = missing
    this.#effective = effective
  }

  /** Registers all tools or none. Returns a function that unregisters them. */
  register(tools: readonly Tool[]): () => void {
    const names = new Set<string>()
    for (const tool of tools) {
      if (typeof tool?.schema?.validate !== 'function') {
        throw new CurfewError('INVALID_TOOL', 'tool: expected a tool created by defineTool', {
          field: 'tool',
        })
      }
      const { name } = tool
      if (this.#tools.has(name) || names.has(name)) {
        throw new CurfewError(
          'DUPLICATE_TOOL',
          this.#tools.get(name) === this.#effective(tool)
            ? `name: the tool "${name}" is already registered`
            : `name: another tool is already named "${name}"; rename one of them`,
          { field: 'name' },
        )
      }
      names.add(name)
    }
    const added = tools.map(this.#effective)
    for (const tool of added) this.#tools.set(tool.name, tool)
    return () => {
      for (const tool of added) {
        if (this.#tools.get(tool.name) === tool) this.#tools.delete(tool.name)
      }
    }
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  /** The tools that declare this secret. */
  withSecret(key: string): Tool[] {
    return [...this.#tools.values()].filter(({ secrets }) => secrets.includes(key))
  }

  offered(isOffered: (name: string) => boolean): Tool[] {
    return [...this.#tools.values()].filter(({ name }) => isOffered(name))
  }

  /** The list is byte-identical regardless of which stubs are loaded, so that prompt caches stay valid. */
  list(view: View, isOffered: (name: string) => boolean): ToolView[] {
    return this.offered(isOffered).map((tool) => toolView(tool, view))
  }

  notFound(name: unknown): string {
    if (typeof name !== 'string' || name === '') return 'name: expected a non-empty string'
    const shown = name.length > 128 ? `${name.slice(0, 128)}...` : name
    const reason = this.#missing.get(name)
    if (reason !== undefined) return `${name} could not be loaded: ${reason}`
    const names = [...this.#tools.keys(), ...this.#missing.keys()]
    const sharing = names.filter((known) => known.endsWith(`__${name}`))
    if (sharing.length > 1) return `name: ambiguous tool "${shown}"; use one of: ${sharing.join(', ')}`
    const prefixed = names.find((known) => known.endsWith(`_${name}`))
    const near = prefixed === undefined ? didYouMean(name, names) : `did you mean "${prefixed}"?`
    const hint = near || 'see the list of tools'
    return `name: unknown tool "${shown}"; ${hint}`
  }
}

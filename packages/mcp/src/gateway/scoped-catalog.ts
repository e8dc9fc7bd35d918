import { searchToolName } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/server'
import { callToolName } from './call-tool.ts'
import { aliasesOf, type Catalog, type CatalogEntry } from './catalog.ts'
import type { Scope } from './scope.ts'

/** The tools that clients can see and call. */
export type ServedTools = Pick<Catalog, 'get' | 'find' | 'listed' | 'entries' | 'list' | 'isShortened'>

/** The part of the catalog that a scope contains. */
export class ScopedCatalog implements ServedTools {
  readonly #catalog: ServedTools
  readonly #scope: Scope
  #source: readonly ToolDefinition[] | null = null
  #list: readonly ToolDefinition[] = []
  #aliases: ReturnType<typeof aliasesOf> = new Map()
  #lastSent = ''

  constructor(catalog: ServedTools, scope: Scope) {
    this.#catalog = catalog
    this.#scope = scope
    if (scope.profile !== null) this.takeChange()
  }

  get(name: string): CatalogEntry | undefined {
    const entry = this.#catalog.get(name)
    return entry !== undefined && this.#has(entry) ? entry : undefined
  }

  find(name: string): CatalogEntry | undefined {
    if (this.#scope.profile === null) return this.#catalog.find(name)
    this.#update()
    return this.get(name) ?? this.#aliases.get(name) ?? undefined
  }

  listed(name: string): ToolDefinition | undefined {
    const entry = this.find(name)
    return entry && this.#catalog.listed(entry.name)
  }

  get entries(): Iterable<CatalogEntry> {
    return [...this.#catalog.entries].filter((entry) => this.#has(entry))
  }

  get list(): readonly ToolDefinition[] {
    this.#update()
    return this.#list
  }

  get isShortened(): boolean {
    return this.#catalog.isShortened
  }

  /** Whether the list has changed since the last time. Called after every change of the catalog. */
  takeChange(): boolean {
    if (this.#scope.profile === null) return true
    const current = JSON.stringify(this.list)
    const hasChanged = current !== this.#lastSent
    this.#lastSent = current
    return hasChanged
  }

  #update(): void {
    const { list } = this.#catalog
    if (list === this.#source) return
    this.#source = list
    this.#list = list.filter(({ name }) => this.get(name) !== undefined)
    // A tool that the client does not know of takes no name away from one that it knows.
    this.#aliases = aliasesOf(this.entries)
  }

  /** Without them, stubs would be useless. They find and call only what the scope contains. */
  #has(entry: CatalogEntry): boolean {
    const isForStubs = entry.tool.name === searchToolName || entry.tool.name === callToolName
    return (entry.upstream === null && isForStubs) || this.#scope.hasTool(entry)
  }
}

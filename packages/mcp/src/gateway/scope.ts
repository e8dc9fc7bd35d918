import { matchGlob } from '@curfew/core/internal'
import type { CatalogEntry } from './catalog.ts'

/** A named part of what a gateway serves. Without `servers` and `tools`, it is everything except `exclude`. */
export interface Profile {
  readonly name: string
  /** Globs of the servers whose tools, prompts and resources it contains. */
  readonly servers?: readonly string[] | undefined
  /** Globs of tools that it contains in addition, by their full names. */
  readonly tools?: readonly string[] | undefined
  /** Globs of tools that it does not contain. */
  readonly exclude?: readonly string[] | undefined
}

/** What a client can see and use: everything, or a profile. */
export class Scope {
  readonly profile: Profile | null

  constructor(profile: Profile | null) {
    this.profile = profile
  }

  /** Whether it contains the prompts, resources and messages of a server, and all of its tools that are not excluded. */
  hasServer(server: string): boolean {
    if (this.#isOpen) return true
    return (this.profile?.servers ?? []).some((glob) => matchGlob(glob, server))
  }

  hasTool({ name, tool, upstream }: Pick<CatalogEntry, 'name' | 'tool' | 'upstream'>): boolean {
    return this.#contains(name, tool.name, upstream?.upstream.name ?? null)
  }

  /** The same for a tool of the gateway itself that could not be loaded. */
  hasOwnTool(name: string): boolean {
    return this.#contains(name, name, null)
  }

  /** For `tools`, only the full name counts, because a server chooses the name without the prefix. */
  #contains(name: string, fullName: string, server: string | null): boolean {
    const { tools = [], exclude = [] } = this.profile ?? {}
    if (exclude.some((glob) => matchGlob(glob, name) || matchGlob(glob, fullName))) return false
    if (this.#isOpen || tools.some((glob) => matchGlob(glob, fullName))) return true
    return server !== null && this.hasServer(server)
  }

  /** Whether it may contain something of a server. */
  needs(server: string): boolean {
    if (this.hasServer(server)) return true
    const prefix = `mcp__${server}__`
    return (this.profile?.tools ?? []).some((glob) => {
      const literal = /^[^*?\\]*/.exec(glob)![0]
      return literal.length < prefix.length && literal !== glob
        ? prefix.startsWith(literal)
        : literal.startsWith(prefix)
    })
  }

  get #isOpen(): boolean {
    return this.profile?.servers === undefined && this.profile?.tools === undefined
  }
}

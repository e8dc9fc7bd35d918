import type { Reference } from './reference.ts'

/** One server of an `mcp.json`, checked. */
export interface ServerConfig {
  readonly name: string
  /** The `mcp.json` that it stands in. */
  readonly file: string
  /** The folder of that file. */
  readonly root: string
  readonly target: StdioTarget | HttpTarget
  /** For each call of one of its tools. */
  readonly timeoutMs: number | undefined
  readonly idleTimeoutMs: number | undefined
  /** For starting, connecting and the first exchange. A first download continues beyond it. */
  readonly startTimeoutMs: number
  /** What it says about its tools (read-only, idempotent, ...) counts. */
  readonly trust: boolean
  /** It is started at once instead of on first use. */
  readonly eager: boolean
  /** Globs over the server's own names of its tools; `null` for all. */
  readonly include: readonly string[] | null
  readonly exclude: readonly string[]
  /** A project's file defines it: `root` is the project's `.curfew`. @default false */
  readonly ofProject?: boolean
}

/** What holds where a file says nothing. */
export const serverDefaults: Omit<ServerConfig, 'name' | 'file' | 'root' | 'target' | 'ofProject'> = {
  timeoutMs: undefined,
  idleTimeoutMs: undefined,
  startTimeoutMs: 30_000,
  trust: false,
  eager: false,
  include: null,
  exclude: [],
}

/** Default `startTimeout` of a server that npx, uvx, docker or similar download first. */
export const downloadTimeoutMs = 120_000

/** A program that is started, and spoken to on its standard streams. */
export interface StdioTarget {
  readonly kind: 'stdio'
  readonly command: string
  /** Arguments that contain secrets are references. */
  readonly args: readonly (string | Reference)[]
  readonly env: Readonly<Record<string, Reference>>
  /** Absolute; without it, where Curfew was started. */
  readonly cwd: string | undefined
}

/** A server that runs somewhere: Streamable HTTP, or the older SSE. */
export interface HttpTarget {
  readonly kind: 'http' | 'sse'
  /** With the names of secrets, not their values. */
  readonly url: string
  /** Set if the URL contains secrets: the URL to fill in. */
  readonly address?: Reference
  readonly headers: Readonly<Record<string, Reference>>
  readonly oauth: OAuthSettings | undefined
}

export interface OAuthSettings {
  readonly clientId?: string
  readonly clientSecret?: Reference
  readonly clientMetadataUrl?: string
  readonly scopes?: readonly string[]
}

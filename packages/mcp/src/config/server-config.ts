import type { Reference } from './reference.ts'

/** One validated server of an `mcp.json`. */
export interface ServerConfig {
  readonly name: string
  /** The path of its `mcp.json`. */
  readonly file: string
  /** The directory of that file. */
  readonly root: string
  readonly target: StdioTarget | HttpTarget
  /** For each call of one of its tools. */
  readonly timeoutMs: number | undefined
  readonly idleTimeoutMs: number | undefined
  /** For starting, connecting and initializing. A first download continues beyond it. */
  readonly startTimeoutMs: number
  /** Use the annotations of its tools (read-only, idempotent, ...), and new tools without approval. */
  readonly trust: boolean
  /** Start it immediately instead of on first use. */
  readonly eager: boolean
  /** Globs of the server's own tool names; `null` for all. */
  readonly include: readonly string[] | null
  readonly exclude: readonly string[]
  /** Reject arguments that do not match the listed schema, instead of letting the server decide. */
  readonly strict: boolean
  /** The protocol version to use; `null` to negotiate it. */
  readonly protocol: ProtocolVersion | null
  /** Stop it after this time without a call; `null` for never. */
  readonly idleStopMs: number | null
  /** `per-client`: each client has its own process or session. */
  readonly instances: 'shared' | 'per-client'
  /** What happens if a tool is added or its definition changes: it is not used until approved, reported, or nothing. */
  readonly pin: PinMode
  /** Tell the model about calls that it repeats without any progress. */
  readonly loops: boolean
  /** A project's file defines it: `root` is the project's `.curfew`. @default false */
  readonly ofProject?: boolean
}

export type PinMode = 'strict' | 'notify' | 'off'

/** The protocol versions that a server can be pinned to, the newest first. */
export const protocolVersions = [
  '2026-07-28',
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
] as const

export type ProtocolVersion = (typeof protocolVersions)[number]

/** The defaults of an entry. */
export const serverDefaults: Omit<ServerConfig, 'name' | 'file' | 'root' | 'target' | 'ofProject'> = {
  timeoutMs: undefined,
  idleTimeoutMs: undefined,
  startTimeoutMs: 30_000,
  trust: false,
  eager: false,
  include: null,
  exclude: [],
  strict: false,
  protocol: null,
  idleStopMs: 600_000,
  instances: 'shared',
  pin: 'strict',
  loops: true,
}

/** The default `timeout` of a call. */
export const defaultCallTimeoutMs = 60_000

/** Default `startTimeout` of a server that npx, uvx, docker or similar download first. */
export const downloadTimeoutMs = 120_000

/** A program that is started and uses stdin and stdout. */
export interface StdioTarget {
  readonly kind: 'stdio'
  readonly command: string
  /** Arguments that contain secrets are references. */
  readonly args: readonly (string | Reference)[]
  readonly env: Readonly<Record<string, Reference>>
  /** An absolute path. @default the working directory of Curfew */
  readonly cwd: string | undefined
}

/** A remote server: Streamable HTTP, or the older SSE. */
export interface HttpTarget {
  readonly kind: 'http' | 'sse'
  /** Contains the names of secrets, not their values. */
  readonly url: string
  /** The URL as a reference, if it contains secrets. */
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

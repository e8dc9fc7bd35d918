import { isJsonObject } from '@curfew/core/internal'
import type { ServerStatus } from '@curfew/mcp'
import type { HeldBack } from './describe-reload.ts'

/** The result of the control method `servers`: what a gateway serves, and what its servers are doing. */
export interface GatewayStatus {
  /** The name of the run, so that a client notices if another process has the socket by now. */
  readonly run: string
  readonly transport: 'stdio' | 'http'
  /** Of a gateway over HTTP. */
  readonly url: string | null
  /** The profile that all of its clients are limited to. */
  readonly profile: string | null
  readonly servers: readonly ServerReport[]
  /** Changes of the project's files that are not used until they are approved. */
  readonly heldBack: readonly HeldBack[]
}

export interface ServerReport extends ServerStatus {
  readonly name: string
  readonly kind: string
  /** The file that defines it. */
  readonly file: string
  /** How many processes or connections it has at the moment. */
  readonly instances: number
  /** `null` if they are not known yet. */
  readonly tools: number | null
  /** Tools that are denied until their new definition is approved. */
  readonly changed: readonly string[]
  /** Tools that are new since the first listing, and not listed until they are approved. */
  readonly added: readonly string[]
  /** Tools that are new or have changed and are used nevertheless. */
  readonly updated: readonly string[]
}

const states: readonly unknown[] = ['stopped', 'starting', 'running', 'failed']
const maxServers = 1_000
const maxNames = 1_000
const maxText = 2_000

/** Checks a result from another process; `null` if it is not one. */
export function readGatewayStatus(value: unknown): GatewayStatus | null {
  if (!isJsonObject(value) || !Array.isArray(value.servers)) return null
  return {
    run: text(value.run),
    transport: value.transport === 'http' ? 'http' : 'stdio',
    url: optionalText(value.url),
    profile: optionalText(value.profile),
    servers: value.servers.slice(0, maxServers).flatMap((server) => readServerReport(server) ?? []),
    heldBack: Array.isArray(value.heldBack)
      ? value.heldBack.slice(0, maxServers).filter(isJsonObject).map(readHeldBack)
      : [],
  }
}

function readHeldBack({ server, file, reason, command }: Readonly<Record<string, unknown>>): HeldBack {
  return { server: optionalText(server), file: text(file), reason: text(reason), command: text(command) }
}

function readServerReport(value: unknown): ServerReport | null {
  if (!isJsonObject(value) || typeof value.name !== 'string' || !states.includes(value.state)) return null
  const { lastError } = value
  return {
    name: text(value.name),
    kind: text(value.kind),
    file: text(value.file),
    state: value.state as ServerReport['state'],
    since: number(value.since) ?? 0,
    pid: number(value.pid),
    instances: number(value.instances) ?? 0,
    calls: number(value.calls) ?? 0,
    tools: number(value.tools),
    changed: names(value.changed),
    added: names(value.added),
    updated: names(value.updated),
    lastError: isJsonObject(lastError)
      ? { message: text(lastError.message), at: number(lastError.at) ?? 0 }
      : null,
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxText) : ''
}

function optionalText(value: unknown): string | null {
  return typeof value === 'string' ? text(value) : null
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.slice(0, maxNames).map(text) : []
}

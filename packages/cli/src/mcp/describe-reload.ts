import { join } from 'node:path'
import type { ConfigRoots } from '@curfew/extensions'
import { configFileName } from '@curfew/extensions/internal'
import type { Gateway } from '@curfew/mcp'
import type { PendingChange } from '@curfew/mcp/config'
import { count } from '../terminal.ts'
import type { RuleChanges } from './apply-rules.ts'

type ServerChanges = Awaited<ReturnType<Gateway['setServers']>>

/** What has changed, in at most two lines. */
export function describeReload({ added, removed, changed }: ServerChanges, rules: RuleChanges): string[] {
  const servers = [
    ['added', added],
    ['changed', changed],
    ['removed', removed],
  ] as const
  const parts = servers.flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what} ${names.join(', ')}`],
  )
  const ruleParts = (['added', 'removed'] as const).flatMap((what) =>
    rules[what] === 0 ? [] : [`${count(rules[what], 'rule')} ${what}`],
  )
  return [
    ...(parts.length === 0 ? [] : [`the servers were reloaded: ${parts.join('; ')}`]),
    ...(ruleParts.length === 0 ? [] : [`the rules were reloaded: ${ruleParts.join(', ')}`]),
  ]
}

/** A change of the project's files that is not used until a person approves it. */
export interface HeldBack {
  /** `null` for rules. */
  readonly server: string | null
  readonly file: string
  readonly reason: string
  /** What approves it. */
  readonly command: string
}

export function heldBack(
  servers: readonly PendingChange[],
  rules: readonly string[],
  { project }: ConfigRoots,
): HeldBack[] {
  const ofServers = servers.map((change) => ({
    server: change.server,
    file: change.file,
    reason: reasonOf(change),
    command: `curfew mcp approve ${change.server}`,
  }))
  if (rules.length === 0 || project === null) return ofServers
  const reason = `changed rules are not used yet (${rules.join('; ')})`
  return [
    ...ofServers,
    { server: null, file: join(project.path, configFileName), reason, command: 'curfew trust' },
  ]
}

export function describeHeldBack({ server, file, reason, command }: HeldBack): string {
  return `${file}: ${reason}; ${server === null ? 'review them, then run' : 'review it with'}: ${command}`
}

function reasonOf({ server, keys }: PendingChange): string {
  if (keys === null) return `the MCP server ${server} is new and not used yet`
  return `the MCP server ${server} has changed (${keys.join(', ')}), and the change is not used yet`
}

import type { Argv } from './programs.ts'

/** Commands by name. */
export type Servers = Readonly<Record<string, Argv>>

/** As all gateways read them from their files. */
export function toMcpServers(servers: Servers): Record<string, object> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, [command, ...args]]) => [name, { command, args }]),
  )
}

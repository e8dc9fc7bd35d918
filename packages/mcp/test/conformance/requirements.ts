import { readFileSync } from 'node:fs'

/** The suite's package. */
export const suite: string = import.meta.resolve('@modelcontextprotocol/conformance/package.json')

/** Its last version before the 2026 protocol. */
export const olderSuite: string = import.meta.resolve('conformance-0.1/package.json')

export type Revision = '2025-11-25' | '2026-07-28'

export interface Requirements {
  readonly revision: Revision
  /** The scenarios that an implementation must pass. */
  readonly scored: readonly string[]
  /** Further scenarios, with the reason why they do not count: an extension, newer, or not ready. */
  readonly unscored: ReadonlyMap<string, string>
}

/** Reads from the suite what a protocol revision requires of a server or a client. */
export function readRequirements(revision: Revision, leg: 'server' | 'client' = 'server'): Requirements {
  const yaml = readFileSync(new URL(`requirements/${revision}.yaml`, suite), 'utf8')
  const section = new RegExp(`^${leg}:\\n((?: {2}- .+\\n)+)`, 'm').exec(yaml)?.[1] ?? ''
  const scored = [...section.matchAll(/- (\S+)/g)].map(([, name]) => name!)
  const entries = yaml.matchAll(new RegExp(`- scenario: (\\S+)\\n\\s+leg: ${leg}\\n\\s+reason: (\\S+)`, 'g'))
  return { revision, scored, unscored: new Map([...entries].map(([, name, reason]) => [name!, reason!])) }
}

import { hostUse } from '@curfew/core/adapter'
import { fillReference, type Reference, secretNames } from '../config/reference.ts'
import type { ServerConfig } from '../config/server-config.ts'

/** Reads a secret for a server; rejects with what to tell a person if there is none. */
export type SecretReader = (name: string) => Promise<string>

/** The environment of a process, or the headers of requests, with their secrets filled in. */
export type FilledValues = Readonly<Record<string, string>>

/** The secrets that a server is given. */
export function secretsOf({ target }: ServerConfig): string[] {
  if (target.kind === 'stdio') return secretNames(Object.values(target.env))
  const { clientSecret } = target.oauth ?? {}
  return secretNames([
    ...Object.values(target.headers),
    ...(clientSecret === undefined ? [] : [clientSecret]),
  ])
}

/** Who gets them. */
export function secretUseOf({ target, name, root, apart = false }: ServerConfig): string {
  if (target.kind !== 'stdio') return hostUse(new URL(target.url))
  return apart ? `tool:mcp__${name}@${root}` : `tool:mcp__${name}`
}

export async function fillValues({ target }: ServerConfig, readSecret: SecretReader): Promise<FilledValues> {
  const references: Readonly<Record<string, Reference>> =
    target.kind === 'stdio' ? target.env : target.headers
  const values: Record<string, string> = {}
  for (const [name, reference] of Object.entries(references)) {
    values[name] = await fillReference(reference, readSecret)
  }
  return values
}

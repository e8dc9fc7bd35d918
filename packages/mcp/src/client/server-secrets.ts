import { hostUse } from '@curfew/core/adapter'
import { fillReference, type Reference, secretNames } from '../config/reference.ts'
import type { ServerConfig } from '../config/server-config.ts'

/** Reads a secret for a server; rejects with what to tell a person if there is none. */
export type SecretReader = (name: string) => Promise<string>

/** The values that a server is started or reached with, with secrets filled in. */
export interface FilledValues {
  /** The environment of a process, or the headers of requests. */
  readonly named: Readonly<Record<string, string>>
  /** Of a process. */
  readonly args: readonly string[]
  /** Of a remote server. */
  readonly url: string
}

/** The secrets that a server is given. */
export function secretsOf({ target }: ServerConfig): string[] {
  if (target.kind === 'stdio') return secretNames([...Object.values(target.env), ...target.args])
  const { clientSecret } = target.oauth ?? {}
  return secretNames([
    ...Object.values(target.headers),
    target.address ?? [],
    ...(clientSecret === undefined ? [] : [clientSecret]),
  ])
}

/**
 * The secret that a remote server means when it does not let us in: the one in `Authorization`, or the only one that it is
 * shown. `undefined` where that cannot be told, or somebody signs in.
 */
export function refusedSecretOf({ target }: ServerConfig): string | undefined {
  if (target.kind === 'stdio' || target.oauth !== undefined) return undefined
  const { headers, address = [] } = target
  const authorization = Object.keys(headers).find((name) => name.toLowerCase() === 'authorization')
  const shown = authorization === undefined ? [...Object.values(headers), address] : [headers[authorization]!]
  const [secret, ...others] = secretNames(shown)
  return others.length === 0 ? secret : undefined
}

/** Who gets them. */
export function secretUseOf({ target, name, root, apart = false }: ServerConfig): string {
  if (target.kind !== 'stdio') return hostUse(new URL(target.url))
  return apart ? `tool:mcp__${name}@${root}` : `tool:mcp__${name}`
}

export async function fillValues({ target }: ServerConfig, readSecret: SecretReader): Promise<FilledValues> {
  const isProcess = target.kind === 'stdio'
  const references: Readonly<Record<string, Reference>> = isProcess ? target.env : target.headers
  const named: Record<string, string> = {}
  for (const [name, reference] of Object.entries(references)) {
    named[name] = await fillReference(reference, readSecret)
  }
  if (!isProcess) {
    const escaped: SecretReader = async (name) => encodeURIComponent(await readSecret(name))
    return { named, args: [], url: await fillReference(target.address ?? target.url, escaped) }
  }
  const args: string[] = []
  for (const arg of target.args) args.push(await fillReference(arg, readSecret))
  return { named, args, url: '' }
}

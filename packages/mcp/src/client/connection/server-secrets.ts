import { findSecretName } from '@curfew/core/internal'
import { fillReference, type Reference, secretNames } from '../../config/reference.ts'
import type { ServerConfig } from '../../config/server-config.ts'

/** Reads a secret for a server. Rejects with a user-facing message if there is none. */
export type SecretReader = (name: string) => Promise<string>

/** The values that a server is started or reached with, including secrets. */
export interface FilledValues {
  /** The environment of a process, or the headers of requests. */
  readonly named: Readonly<Record<string, string>>
  /** The arguments of a process. */
  readonly args: readonly string[]
  /** The URL of a remote server. */
  readonly url: string
}

/** The names of the secrets that a server gets. */
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
 * The secret that a server reports as rejected. For a process, the one that the text mentions by its name or its variable's name,
 * otherwise the first. For a remote server, the one in `Authorization`, or the only one; `undefined` if that is ambiguous, or
 * if the server uses a sign-in.
 */
export function rejectedSecretOf({ target }: ServerConfig, text: string): string | undefined {
  if (target.kind === 'stdio') {
    const inVariables = Object.entries(target.env).flatMap(([variable, value]) =>
      secretNames([value]).map((secret) => ({ variable, secret })),
    )
    const inArguments = secretNames(target.args).map((secret) => ({ variable: secret, secret }))
    const holders = [...inVariables, ...inArguments]
    const named = findSecretName(
      text,
      holders.flatMap(({ variable, secret }) => [variable, secret]),
    )
    const holder = holders.find(({ variable, secret }) => variable === named || secret === named)
    return (holder ?? holders[0])?.secret
  }
  if (target.oauth !== undefined) return undefined
  const { headers, address = [] } = target
  const authorization = Object.keys(headers).find((name) => name.toLowerCase() === 'authorization')
  const sent = authorization === undefined ? [...Object.values(headers), address] : [headers[authorization]!]
  const [secret, ...others] = secretNames(sent)
  return others.length === 0 ? secret : undefined
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

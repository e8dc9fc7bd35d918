import { hash, timingSafeEqual } from 'node:crypto'
import type { Vault } from '@curfew/core'
import { describeUse, didYouMean, matchGlob, messageOf, storeSecretCommand } from '@curfew/core/internal'
import { type ConfigProblem, formatProblem, type ProfileSettings } from '@curfew/extensions'
import type { Profile, ProfileAccess } from '@curfew/mcp'
import { UsageError } from '../command.ts'
import { oneLine } from '../terminal.ts'

type Profiles = ReadonlyMap<string, ProfileSettings>

/** A token that can be guessed protects nothing. */
const minTokenLength = 16

/** The profile for `--profile`. Throws a `UsageError` if it cannot be used exactly as it is written. */
export function findProfile(name: string, profiles: Profiles): Profile {
  const found = profiles.get(name)
  if (found === undefined) throw unknownProfile(name, [...profiles.keys()])
  if (found.problem !== null)
    throw new UsageError(`curfew mcp: the profile ${name} is invalid: ${describeProblem(found.problem)}`)
  return toProfile(found)
}

/** That none of a profile's servers exists, which is probably a typing mistake; `null` if one does. */
export function describeEmpty(
  { name, servers = [], tools = [] }: Profile,
  known: readonly string[],
): string | null {
  const isFound = servers.some((glob) => known.some((server) => matchGlob(glob, server)))
  if (servers.length === 0 || tools.length > 0 || isFound) return null
  const globs = servers.map((glob) => JSON.stringify(glob)).join(', ')
  const hint = servers.map((glob) => didYouMean(glob, known)).find((text) => text !== '')
  return `the profile ${name} contains nothing: no server here matches ${globs}${hint === undefined ? '' : `; ${hint}`}`
}

function unknownProfile(name: string, names: readonly string[]): UsageError {
  const known =
    names.length === 0
      ? 'config.json has no profiles with servers, tools or exclude'
      : `known profiles: ${names.join(', ')}`
  return new UsageError(
    `curfew mcp: unknown profile ${JSON.stringify(name)}; ${didYouMean(name, names) || known}`,
  )
}

export interface TokenOptions {
  readonly vault: Pick<Vault, 'read'>
  /** The token of the other clients. */
  readonly mainToken: string | null
  /** Called with why a profile cannot be used with its token. */
  readonly warn: (message: string) => void
}

/** The profiles that clients can select by their token. One without a usable token is left out. */
export async function readProfileTokens(
  profiles: Profiles,
  { vault, mainToken, warn }: TokenOptions,
): Promise<readonly ProfileAccess[]> {
  const accesses: ProfileAccess[] = []
  const reject = (name: string, reason: string): void =>
    warn(`the profile ${name} cannot be selected by its token: ${reason}`)
  for (const settings of profiles.values()) {
    const { name, token: reference, problem } = settings
    if (reference === undefined) continue
    try {
      if (problem !== null) throw new Error(describeProblem(problem))
      const token = await readToken(name, reference.slice('secret:'.length), vault)
      accesses.push({ profile: toProfile(settings), token })
    } catch (error) {
      reject(name, messageOf(error))
    }
  }
  const main = mainToken === null ? [] : [{ owner: 'of the gateway', token: mainToken }]
  const all = [
    ...main,
    ...accesses.map(({ profile, token }) => ({ owner: `of the profile ${profile.name}`, token })),
  ]
  // The order in the file must not decide which of two profiles a client is served.
  return accesses.filter((access) => {
    const { name } = access.profile
    const other = all.find(
      ({ owner, token }) => owner !== `of the profile ${name}` && isSame(token, access.token),
    )
    if (other !== undefined) reject(name, `its token is also that ${other.owner}`)
    return other === undefined
  })
}

async function readToken(profile: string, secret: string, vault: Pick<Vault, 'read'>): Promise<string> {
  const use = `profile:${profile}`
  const found = await vault.read(secret, use)
  if (found.kind !== 'found') {
    const others =
      found.kind === 'elsewhere'
        ? ` is stored for ${found.uses.map(describeUse).join(', ')}`
        : ' is not stored'
    throw new Error(`the secret ${secret}${others}; store it with: ${storeSecretCommand(secret, use)}`)
  }
  if (found.value.length < minTokenLength)
    throw new Error(`the secret ${secret}: expected at least ${minTokenLength} characters`)
  return found.value
}

/** Without its severity: what is only a warning elsewhere makes a profile unusable. */
function describeProblem(problem: ConfigProblem): string {
  return oneLine(formatProblem(problem)).replace('unknown field, which is ignored', 'unknown field')
}

function toProfile({ name, servers, tools, exclude }: ProfileSettings): Profile {
  return { name, servers, tools, exclude }
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
}

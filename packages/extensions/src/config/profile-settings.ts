import type { ConfigLayer, ConfiguredValue } from './config-layer.ts'
import type { ConfigProblem } from './config-problem.ts'
import { splitEntryKey } from './config-settings.ts'

/** An entry of `profiles`: a part of what `curfew mcp` serves. */
export interface ProfileSettings {
  readonly name: string
  readonly servers?: readonly string[]
  readonly tools?: readonly string[]
  readonly exclude?: readonly string[]
  /** `secret:NAME` */
  readonly token?: string
  /** Why it must not be used: what is left of it could contain more than the whole. */
  readonly problem: ConfigProblem | null
}

/** By name. `values` are the merged values of the layers. */
export function toProfiles(
  values: ReadonlyMap<string, ConfiguredValue>,
  layers: readonly ConfigLayer[],
): ReadonlyMap<string, ProfileSettings> {
  const profiles = new Map<string, ProfileSettings>()
  for (const [key, { value }] of values) {
    const { group, entry = '', name = '' } = splitEntryKey(key) ?? {}
    if (group === 'profiles')
      profiles.set(entry, { problem: null, ...profiles.get(entry), name: entry, [name]: value })
  }
  for (const problem of layers.flatMap(({ problems }) => problems)) {
    const [, name] = /^profiles\.([^.[]+)/.exec(problem.field ?? '') ?? []
    if (name !== undefined) profiles.set(name, { ...profiles.get(name), name, problem })
  }
  return profiles
}

/** Not options of the runtime. */
export function isAboutProfiles(key: string): boolean {
  return key.startsWith('profiles.')
}

/** Why a project may not set this, or `null` if it may: it could let a client with a token use more than the user allows. */
export function whyNotProfiles(key: string): string | null {
  return isAboutProfiles(key) ? 'only your own config.json can define profiles' : null
}

import type { JsonSchema } from '@curfew/core'
import { toolPattern } from '@curfew/core/internal'
import {
  configFileSchema,
  externalAgentSchema,
  modelKeyPattern,
  modelSettingsSchema,
  profileNamePattern,
  profileSchema,
  toolSettingsSchema,
} from './config-schema.ts'

export type SettingKind = 'duration' | 'count' | 'number' | 'choice' | 'text' | 'switch' | 'rules' | 'strings'
export type SettingValue = number | string | boolean | readonly string[]

/** One value that can be set: a leaf of `config.json`. */
export interface Setting {
  /** `limits.callsPerTurn` */
  readonly key: string
  readonly kind: SettingKind
  /** The schema's default; `undefined` if there is none or it depends on other settings. */
  readonly fallback: SettingValue | undefined
}

/** In the order of the schema. `loops` is included as a switch, before its own settings. */
export const configSettings: readonly Setting[] = leaves(configFileSchema, '')

/** By the keys that variables and flags may use: `approval` is short for `approval.default`. */
export const settingsByKey: ReadonlyMap<string, Setting> = new Map(
  configSettings.flatMap((setting): [string, Setting][] =>
    setting.key === 'approval.default'
      ? [
          ['approval', setting],
          [setting.key, setting],
        ]
      : [[setting.key, setting]],
  ),
)

type EntryGroupName = 'tools' | 'models' | 'externalAgents' | 'profiles'

/** A group whose entries have names that someone else chooses. */
interface EntryGroup {
  /** Matches `group.entry.setting`; quotes around the entry are optional. */
  readonly key: RegExp
  /** Of entries. */
  readonly names: RegExp
  /** What a name has to be. */
  readonly expected: string
  readonly example: string
  /** The settings of an entry, by name. */
  readonly settings: ReadonlyMap<string, Setting>
}

export const entryGroups: Readonly<Record<EntryGroupName, EntryGroup>> = {
  tools: {
    // The pattern may contain dots, but the setting does not.
    key: /^tools\.(?:"([^"]*)"|(.+))\.([^.]+)$/,
    names: toolPattern,
    expected: 'the name of a tool, or a pattern with * or ?',
    example: 'tools.mcp__github__*.timeout',
    settings: byKey(leaves(toolSettingsSchema, '')),
  },
  models: {
    key: /^models\.(?:"([^"]*)"|(.+?))\.((?:price\.)?[^.]+)$/,
    names: new RegExp(modelKeyPattern),
    expected: 'provider:name, with one of the providers google, anthropic and openai-compatible',
    example: 'models.google:gemini-pro-latest.contextWindow',
    settings: byKey(leaves(modelSettingsSchema, '')),
  },
  externalAgents: {
    key: /^externalAgents\.(?:"([^"]*)"|(.+))\.([^.]+)$/,
    names: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    expected: 'a name of letters, digits, _ and -',
    example: 'externalAgents.claude.command',
    settings: byKey(leaves(externalAgentSchema, '')),
  },
  profiles: {
    key: /^profiles\.(?:"([^"]*)"|(.+))\.([^.]+)$/,
    names: new RegExp(profileNamePattern),
    expected: 'a name of letters, digits, _ and -',
    example: 'profiles.work.servers',
    settings: byKey(leaves(profileSchema, '')),
  },
}

/** The parts of a key such as `tools.mcp__github__*.timeout` or `models.google:gemini-pro-latest.price.input`. */
export interface EntryKey {
  readonly group: EntryGroupName
  readonly entry: string
  readonly name: string
}

/** Splits the key of a setting in an entry; `null` for other keys. */
export function splitEntryKey(key: string): EntryKey | null {
  const group = key.split('.', 1)[0]!
  if (!isEntryGroup(group)) return null
  const [, quoted, entry = quoted, name] = entryGroups[group].key.exec(key) ?? []
  return entry === undefined ? null : { group, entry, name: name! }
}

export function isEntryGroup(name: string): name is EntryGroupName {
  return name === 'tools' || name === 'models' || name === 'externalAgents' || name === 'profiles'
}

/** The setting with this key, which may be in an entry, such as one of `tools`. */
export function findSetting(key: string): Setting | undefined {
  const entryKey = splitEntryKey(key)
  if (entryKey === null) return settingsByKey.get(key)
  const { group, entry, name } = entryKey
  const { names, settings } = entryGroups[group]
  const setting = names.test(entry) ? settings.get(name) : undefined
  return setting && { ...setting, key: `${group}.${entry}.${name}` }
}

/** The names on the path of a setting: those of `tools.a.b.timeout` are `tools`, `a.b` and `timeout`. */
export function pathOf(key: string): readonly string[] {
  const entryKey = splitEntryKey(key)
  return entryKey === null ? key.split('.') : [entryKey.group, entryKey.entry, ...entryKey.name.split('.')]
}

/** `limits.callsPerTurn` is set by `CURFEW_LIMITS_CALLS_PER_TURN`. */
export function variableOf(key: string): string {
  return `CURFEW_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toUpperCase()}`
}

function byKey(settings: readonly Setting[]): ReadonlyMap<string, Setting> {
  return new Map(settings.map((setting) => [setting.key, setting]))
}

function leaves(schema: JsonSchema, prefix: string): Setting[] {
  return Object.entries(schema.properties as Record<string, JsonSchema>).flatMap(([name, node]) => {
    if (name === '$schema' || (schema === configFileSchema && isEntryGroup(name))) return []
    const key = prefix + name
    const setting: Setting = { key, kind: kindOf(node), fallback: node.default as SettingValue | undefined }
    if (node.properties === undefined) return [setting]
    const within = leaves(node, `${key}.`)
    return setting.kind === 'switch' ? [setting, ...within] : within
  })
}

function kindOf({ type, enum: choices, items }: JsonSchema): SettingKind {
  if (choices !== undefined) return 'choice'
  if (type === 'integer') return 'count'
  if (type === 'number') return 'number'
  if (type === 'array') return Object(items).pattern === undefined ? 'strings' : 'rules'
  if (type === 'boolean') return 'switch'
  if (!Array.isArray(type)) return 'text'
  return type.includes('boolean') ? 'switch' : 'duration'
}

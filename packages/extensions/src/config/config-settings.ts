import type { JsonSchema } from '@curfew/core'
import { toolPattern } from '@curfew/core/internal'
import { configFileSchema, toolSettingsSchema } from './config-schema.ts'

export type SettingKind = 'duration' | 'count' | 'choice' | 'text' | 'switch' | 'rules' | 'strings'
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

/** The settings of an entry in `tools`, by name. */
export const toolSettingsByName: ReadonlyMap<string, Setting> = new Map(
  leaves(toolSettingsSchema, '').map((setting) => [setting.key, setting]),
)

/** The pattern may contain dots, but the setting does not; quotes around the pattern are optional. */
const toolKey = /^tools\.(?:"([^"]*)"|(.+))\.([^.]+)$/

/** The setting with this key, which may be in an entry of `tools`: `tools.mcp__github__*.timeout`. */
export function findSetting(key: string): Setting | undefined {
  const { pattern, name } = splitToolKey(key) ?? {}
  if (pattern === undefined) return settingsByKey.get(key)
  const setting = toolPattern.test(pattern) ? toolSettingsByName.get(name!) : undefined
  return setting && { ...setting, key: `tools.${pattern}.${name}` }
}

/** The names on the path of a setting: those of `tools.a.b.timeout` are `tools`, `a.b` and `timeout`. */
export function pathOf(key: string): readonly string[] {
  const { pattern, name } = splitToolKey(key) ?? {}
  return pattern === undefined ? key.split('.') : ['tools', pattern, name!]
}

/** The pattern and the setting in a key of `tools`; `null` for other keys. */
export function splitToolKey(key: string): { readonly pattern: string; readonly name: string } | null {
  const [, quoted, pattern = quoted, name] = toolKey.exec(key) ?? []
  return pattern === undefined ? null : { pattern, name: name! }
}

/** `limits.callsPerTurn` is set by `CURFEW_LIMITS_CALLS_PER_TURN`. */
export function variableOf(key: string): string {
  return `CURFEW_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toUpperCase()}`
}

function leaves(schema: JsonSchema, prefix: string): Setting[] {
  return Object.entries(schema.properties as Record<string, JsonSchema>).flatMap(([name, node]) => {
    if (name === '$schema' || name === 'tools') return []
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
  if (type === 'array') return Object(items).pattern === undefined ? 'strings' : 'rules'
  if (type === 'boolean') return 'switch'
  if (!Array.isArray(type)) return 'text'
  return type.includes('boolean') ? 'switch' : 'duration'
}

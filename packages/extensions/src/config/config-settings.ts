import type { JsonSchema } from '@curfew/core'
import { configFileSchema } from './config-schema.ts'

export type SettingKind = 'duration' | 'count' | 'choice' | 'text' | 'switch' | 'rules'
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

/** `limits.callsPerTurn` is set by `CURFEW_LIMITS_CALLS_PER_TURN`. */
export function variableOf(key: string): string {
  return `CURFEW_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toUpperCase()}`
}

function leaves(schema: JsonSchema, prefix: string): Setting[] {
  return Object.entries(schema.properties as Record<string, JsonSchema>).flatMap(([name, node]) => {
    if (name === '$schema') return []
    const key = prefix + name
    const setting: Setting = { key, kind: kindOf(node), fallback: node.default as SettingValue | undefined }
    if (node.properties === undefined) return [setting]
    const within = leaves(node, `${key}.`)
    return setting.kind === 'switch' ? [setting, ...within] : within
  })
}

function kindOf({ type, enum: choices }: JsonSchema): SettingKind {
  if (choices !== undefined) return 'choice'
  if (type === 'integer') return 'count'
  if (type === 'array') return 'rules'
  if (type === 'boolean') return 'switch'
  if (!Array.isArray(type)) return 'text'
  return type.includes('boolean') ? 'switch' : 'duration'
}

import { parseDuration, type RuntimeOptions } from '@curfew/core'
import {
  type Adapter,
  adapterTimeouts,
  defaultToolCallTimeoutMs,
  type RuleLists,
  type Verdict,
} from '@curfew/core/internal'
import type { Written } from './config-layer.ts'
import { configSettings, type SettingKind, type SettingValue } from './config-settings.ts'
import type { MergedConfig } from './merge-config.ts'

/** Options for `createRuntime`: what somebody wrote down, and nothing else. Durations are milliseconds. */
export interface ConfigOptions extends Omit<RuntimeOptions, 'ask' | 'log' | 'clock'> {
  readonly toolCallTimeout?: number
  readonly maxToolCallTimeout?: number
  readonly timeouts?: Readonly<Partial<Record<Adapter, number>>>
  readonly approval: { readonly default?: Verdict; readonly rules: RuleLists }
}

/** A value that is in effect, and who said so. Rules are there once for every place that has some. */
export interface EffectiveSetting {
  readonly key: string
  readonly kind: SettingKind
  /** Durations in milliseconds; `null`: there is none. */
  readonly value: SettingValue | null
  /** `toolCallTimeout`: it has no value of its own, and that one is written down. */
  readonly source: Written['source'] | 'default' | 'toolCallTimeout'
  readonly file?: string
  readonly variable?: string
}

export function toOptions({ values, rules }: MergedConfig): ConfigOptions {
  const lists = Object.fromEntries(
    [...rules].map(([key, written]) => [
      key.slice('approval.rules.'.length),
      written.flatMap(({ value }) => value as readonly string[]),
    ]),
  )
  const options: Record<string, unknown> = { approval: { rules: lists } }
  for (const [key, { value }] of values) {
    if (key === builtinsKey) continue
    // The switch of a group comes before what belongs to it, and is not written itself.
    if (value === true) continue
    const [group = '', name] = key.split('.')
    if (values.get(group)?.value === false && name !== undefined) continue
    options[group] = name === undefined ? value : { ...Object(options[group]), [name]: value }
  }
  return options as unknown as ConfigOptions
}

/** Not for the runtime: it says which tools are registered there. */
export const builtinsKey = 'builtins'

export function toSettings(merged: MergedConfig): EffectiveSetting[] {
  const { values, rules } = merged
  return configSettings.flatMap(({ key, kind, fallback }): EffectiveSetting[] => {
    // What belongs to a group that is switched off is not in effect.
    if (key.includes('.') && values.get(key.split('.')[0]!)?.value === false) return []
    const written = kind === 'rules' ? rules.get(key) : values.get(key)
    if (written !== undefined) return [written].flat().map((one) => ({ key, kind, ...one }))
    if (key.startsWith('timeouts.')) return [adapterSetting(key, values.get('toolCallTimeout')?.value)]
    return [{ key, kind, value: defaultValue(kind, fallback), source: 'default' }]
  })
}

function defaultValue(kind: SettingKind, fallback: SettingValue | undefined): SettingValue | null {
  if (fallback === undefined) return null
  return kind === 'duration' ? parseDuration(fallback, 'default') : fallback
}

/** A value for all calls that somebody wrote down beats a default that nobody wrote down. */
function adapterSetting(key: string, toolCallTimeout: SettingValue | undefined): EffectiveSetting {
  const { defaultMs, capMs } = adapterTimeouts[key.slice('timeouts.'.length) as Adapter]
  if (toolCallTimeout === undefined) {
    return { key, kind: 'duration', value: defaultMs ?? defaultToolCallTimeoutMs, source: 'default' }
  }
  const value = Math.min(toolCallTimeout as number, capMs ?? Number.POSITIVE_INFINITY)
  return { key, kind: 'duration', value, source: 'toolCallTimeout' }
}

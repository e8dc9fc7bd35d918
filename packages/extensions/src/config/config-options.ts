import { parseDuration, type RuntimeOptions } from '@curfew/core'
import {
  type Adapter,
  type ApprovalOptions,
  adapterTimeouts,
  defaultToolCallTimeoutMs,
  type RuleLists,
} from '@curfew/core/internal'
import type { LayerSource } from './config-layer.ts'
import { configSettings, type SettingKind, type SettingValue } from './config-settings.ts'
import type { MergedConfig } from './merge-config.ts'

/** Options for `createRuntime`: only values that were configured, without defaults. Durations are milliseconds. */
export interface ConfigOptions extends Omit<RuntimeOptions, 'ask' | 'log' | 'clock'> {
  readonly toolCallTimeout?: number
  readonly maxToolCallTimeout?: number
  readonly timeouts?: Readonly<Partial<Record<Adapter, number>>>
  readonly approval: ApprovalOptions & { readonly rules: RuleLists }
}

/** An effective value and its source. Rules have one entry per source. */
export interface EffectiveSetting {
  readonly key: string
  readonly kind: SettingKind
  /** Durations in milliseconds; `null` if there is no value. */
  readonly value: SettingValue | null
  /** `toolCallTimeout`: the timeout of an adapter that follows the configured `toolCallTimeout`. */
  readonly source: LayerSource | 'default' | 'toolCallTimeout'
  readonly file?: string
  readonly variable?: string
}

export function toOptions({ values, rules }: MergedConfig): ConfigOptions {
  const lists = Object.fromEntries(
    [...rules].map(([key, configured]) => [
      key.slice('approval.rules.'.length),
      configured.flatMap(({ value }) => value as readonly string[]),
    ]),
  )
  const options: Record<string, unknown> = { approval: { rules: lists } }
  for (const [key, { value }] of values) {
    if (key === builtinsKey) continue
    // `loops: true` is the default; the settings of the group follow.
    if (value === true) continue
    const [group = '', name] = key.split('.')
    if (values.get(group)?.value === false && name !== undefined) continue
    options[group] = name === undefined ? value : { ...Object(options[group]), [name]: value }
  }
  return options as unknown as ConfigOptions
}

/** Not an option of the runtime: it decides which tools are registered. */
export const builtinsKey = 'builtins'

export function toSettings(merged: MergedConfig): EffectiveSetting[] {
  const { values, rules } = merged
  return configSettings.flatMap(({ key, kind, fallback }): EffectiveSetting[] => {
    // Settings of a group that is turned off have no effect.
    if (key.includes('.') && values.get(key.split('.')[0]!)?.value === false) return []
    const configured = kind === 'rules' ? rules.get(key) : values.get(key)
    if (configured !== undefined) return [configured].flat().map((one) => ({ key, kind, ...one }))
    if (key.startsWith('timeouts.')) return [adapterSetting(key, values.get('toolCallTimeout')?.value)]
    return [{ key, kind, value: defaultValue(kind, fallback), source: 'default' }]
  })
}

function defaultValue(kind: SettingKind, fallback: SettingValue | undefined): SettingValue | null {
  if (fallback === undefined) return null
  return kind === 'duration' ? parseDuration(fallback, 'default') : fallback
}

/** A configured `toolCallTimeout` overrides the default of an adapter. */
function adapterSetting(key: string, toolCallTimeout: SettingValue | undefined): EffectiveSetting {
  const { defaultMs, capMs } = adapterTimeouts[key.slice('timeouts.'.length) as Adapter]
  if (toolCallTimeout === undefined) {
    return { key, kind: 'duration', value: defaultMs ?? defaultToolCallTimeoutMs, source: 'default' }
  }
  const value = Math.min(toolCallTimeout as number, capMs ?? Number.POSITIVE_INFINITY)
  return { key, kind: 'duration', value, source: 'toolCallTimeout' }
}

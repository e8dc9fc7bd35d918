import { parseDuration, type RuntimeOptions, resolveTimeout } from '@curfew/core'
import type { Adapter, ApprovalOptions, RuleLists, ToolSettings } from '@curfew/core/internal'
import { isAboutAgent } from './agent-settings.ts'
import type { ConfiguredValue, LayerSource } from './config-layer.ts'
import {
  configSettings,
  entryGroups,
  type SettingKind,
  type SettingValue,
  splitEntryKey,
} from './config-settings.ts'
import { isAboutExternalAgents } from './external-agent-settings.ts'
import { type MergedConfig, rulesPrefix, verdictKey } from './merge-config.ts'
import { isAboutModels } from './model-settings.ts'
import { isAboutProfiles } from './profile-settings.ts'
import { isAboutRecording } from './recording-settings.ts'
import { sandboxKey } from './sandbox-setting.ts'
import { secretFilesKey } from './secret-files.ts'
import { isAboutUi } from './ui-settings.ts'

/** Options for `createRuntime`: only values that were configured, without defaults. Durations are milliseconds. */
export interface ConfigOptions extends Omit<RuntimeOptions, 'ask' | 'log' | 'clock'> {
  readonly toolCallTimeout?: number
  readonly maxToolCallTimeout?: number
  readonly timeouts?: Readonly<Partial<Record<Adapter, number>>>
  readonly tools?: Readonly<Record<string, ToolSettings>>
  readonly approval: ApprovalOptions & { readonly rules: RuleLists }
}

/** An effective value and its source. Rules and patterns of secret files have one entry per source. */
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
  const lists: Record<string, string[]> = {}
  const byDefault = values.get(verdictKey)
  const addRules = (verdict: string, { value, source }: ConfiguredValue): void => {
    // Where the user denies by default, a question of the project would be looser than no rule.
    const isLimited =
      verdict === 'ask' &&
      source === 'project' &&
      byDefault?.value === 'deny' &&
      byDefault.source !== 'project'
    const list = isLimited ? 'askIfAllowed' : verdict
    lists[list] = [...(lists[list] ?? []), ...(value as readonly string[])]
  }
  for (const [key, configured] of rules)
    for (const one of configured) addRules(key.slice(rulesPrefix.length), one)
  const options: Record<string, unknown> = { approval: { rules: lists } }
  const tools = new Map<string, Record<string, SettingValue>>()
  for (const [key, configured] of values) {
    const { value, source } = configured
    if (key === builtinsKey || key === sandboxKey || isAboutModels(key)) continue
    if (isAboutAgent(key) || isAboutExternalAgents(key) || isAboutUi(key) || isAboutRecording(key)) continue
    if (isAboutProfiles(key)) continue
    const entryKey = splitEntryKey(key)
    if (entryKey !== null) {
      const { entry: pattern, name } = entryKey
      // As a rule, it cannot override what the user sets with a shorter pattern.
      if (name === 'approval' && source === 'project')
        addRules(String(value), { ...configured, value: [pattern] })
      else tools.set(pattern, { ...tools.get(pattern), [name]: value })
      continue
    }
    // `loops: true` is the default; the settings of the group follow.
    if (value === true) continue
    const [group = '', name] = key.split('.')
    if (values.get(group)?.value === false && name !== undefined) continue
    options[group] = name === undefined ? value : { ...Object(options[group]), [name]: value }
  }
  if (tools.size > 0) options.tools = Object.fromEntries(tools)
  return options as unknown as ConfigOptions
}

/** Not an option of the runtime: it decides which tools are registered. */
export const builtinsKey = 'builtins'

export function toSettings(merged: MergedConfig): EffectiveSetting[] {
  const { values, rules, secretFiles } = merged
  const ofEntries = [...values].flatMap(([key, configured]): EffectiveSetting[] => {
    const entryKey = splitEntryKey(key)
    const kind = entryKey === null ? undefined : entryGroups[entryKey.group].settings.get(entryKey.name)?.kind
    return kind === undefined ? [] : [{ key, kind, ...configured }]
  })
  const others = configSettings.flatMap(({ key, kind, fallback }): EffectiveSetting[] => {
    // Settings of a group that is turned off have no effect.
    if (key.includes('.') && values.get(key.split('.')[0]!)?.value === false) return []
    if (key === secretFilesKey) return secretFiles.map((one) => ({ key, kind, ...one }))
    const configured = kind === 'rules' ? rules.get(key) : values.get(key)
    if (configured !== undefined) return [configured].flat().map((one) => ({ key, kind, ...one }))
    if (key.startsWith('timeouts.')) return [adapterSetting(key, values.get('toolCallTimeout')?.value)]
    return [{ key, kind, value: defaultValue(kind, fallback), source: 'default' }]
  })
  return [...others, ...ofEntries]
}

function defaultValue(kind: SettingKind, fallback: SettingValue | undefined): SettingValue | null {
  if (fallback === undefined) return null
  return kind === 'duration' ? parseDuration(fallback, 'default') : fallback
}

/** A configured `toolCallTimeout` may override the default of an adapter. */
function adapterSetting(key: string, toolCallTimeout: SettingValue | undefined): EffectiveSetting {
  const adapter = key.slice('timeouts.'.length) as Adapter
  const resolved = resolveTimeout({ adapter, toolCallTimeout: toolCallTimeout as number | undefined })
  const { source } = resolved.requested ?? resolved
  const value = resolved.timeoutMs
  return { key, kind: 'duration', value, source: source === 'toolCallTimeout' ? source : 'default' }
}

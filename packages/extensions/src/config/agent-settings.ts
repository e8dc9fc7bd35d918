import { formatDuration, parseDuration } from '@curfew/core'
import type { ConfiguredValue } from './config-layer.ts'
import { type SettingValue, settingsByKey } from './config-settings.ts'

/** What the agent may use, as it is configured. Nothing here is a default. */
export interface AgentSettings {
  readonly budget: {
    readonly turn?: Budget
    readonly conversation?: Budget
  }
  /** Limits of each request to a model, in milliseconds. */
  readonly modelTimeouts: {
    readonly firstToken?: number
    readonly idle?: number
    readonly total?: number
  }
}

interface Budget {
  readonly tokens?: number
  readonly money?: number
}

export function toAgentSettings(values: ReadonlyMap<string, ConfiguredValue>): AgentSettings {
  const settings: Record<string, Record<string, unknown>> = { budget: {}, modelTimeouts: {} }
  for (const [key, { value }] of values) {
    if (!isAboutAgent(key)) continue
    const [group = '', name = '', part] = key.split('.')
    const entries = settings[group]!
    entries[name] = part === undefined ? value : { ...Object(entries[name]), [part]: value }
  }
  return settings as unknown as AgentSettings
}

/** Not options of the runtime. */
export function isAboutAgent(key: string): boolean {
  return /^(budget|modelTimeouts)\./.test(key)
}

/** Why a project may not set what the agent may use to this value, or `null`: it can only be lower than the user's, or the default. */
export function whyMoreThanUser(
  key: string,
  value: SettingValue,
  user: SettingValue | undefined,
): string | null {
  if (!isAboutAgent(key) && key !== 'limits.continuations' && key !== 'maxToolCallTimeout') return null
  const { kind, fallback } = settingsByKey.get(key)!
  const isDuration = kind === 'duration'
  const defaultValue = isDuration && fallback !== undefined ? parseDuration(fallback, key) : fallback
  const limit = user ?? defaultValue
  if (limit === undefined || value <= limit) return null
  const show = (one: SettingValue): string => (isDuration ? formatDuration(one as number) : String(one))
  return `${show(value)} is more than ${user === undefined ? 'the default' : 'your setting'}, ${show(limit)}`
}

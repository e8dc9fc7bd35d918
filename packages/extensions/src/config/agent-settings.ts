import { formatDuration, parseDuration } from '@curfew/core'
import type { ConfiguredValue } from './config-layer.ts'
import { type SettingValue, settingsByKey } from './config-settings.ts'
import { type ExternalAgentEntries, toExternalAgents } from './external-agent-settings.ts'

/** What the agent may use. */
export interface AgentSettings {
  /** As it is configured: there is no default. */
  readonly budget: {
    readonly turn?: Budget
    readonly conversation?: Budget
  }
  /** Limits of each request to a model, in milliseconds: configured, or the defaults. */
  readonly modelTimeouts: Readonly<Record<'firstToken' | 'idle' | 'total', number>>
  /** Whether files are saved before they are changed. */
  readonly checkpoints: boolean
  /** Private hosts and networks that `fetch_url` may request. */
  readonly fetchAllow: readonly string[]
  /** Programs that complete tasks, by name. */
  readonly externalAgents: ExternalAgentEntries
  /** The maximum of a subagent in milliseconds; `null` if the environment sets none. */
  readonly maxSubagentMs: number | null
}

interface Budget {
  readonly tokens?: number
  readonly money?: number
}

export function toAgentSettings(
  values: ReadonlyMap<string, ConfiguredValue>,
  maxSubagentMs: number | null,
): AgentSettings {
  const budget: Record<string, Record<string, SettingValue>> = {}
  for (const [key, { value }] of values) {
    const [group, scope = '', unit = ''] = key.split('.')
    if (group === 'budget') budget[scope] = { ...budget[scope], [unit]: value }
  }
  const timeout = (name: string): number => {
    const key = `modelTimeouts.${name}`
    return (values.get(key)?.value ?? defaultOf(key)) as number
  }
  const modelTimeouts = {
    firstToken: timeout('firstToken'),
    idle: timeout('idle'),
    total: timeout('total'),
  }
  const fetchAllow = (values.get(fetchAllowKey)?.value ?? []) as readonly string[]
  const checkpoints = values.get(checkpointsKey)?.value !== false
  const externalAgents = toExternalAgents(values)
  return { budget, modelTimeouts, checkpoints, fetchAllow, externalAgents, maxSubagentMs }
}

/** Durations in milliseconds. */
function defaultOf(key: string): SettingValue | undefined {
  const { kind, fallback } = settingsByKey.get(key)!
  return kind === 'duration' && fallback !== undefined ? parseDuration(fallback, key) : fallback
}

const checkpointsKey = 'checkpoints'

/** Not options of the runtime. */
export function isAboutAgent(key: string): boolean {
  return key === checkpointsKey || key === fetchAllowKey || /^(budget|modelTimeouts)\./.test(key)
}

const fetchAllowKey = 'fetchAllow'

/** Other limits that a project can only lower, */
const loweredByProjects = /^((limits|loops|breaker)\..+|grace|maxToolCallTimeout)$/
/** except these, which are stricter if they are longer. */
const raisedByProjects = ['breaker.resetTime', 'breaker.cooldown']

/** Why a project may not set what the agent may use, or a limit, to this value, or `null`: it can only be stricter than the user's, or the default. */
export function whyLooserThanUser(
  key: string,
  value: SettingValue,
  user: SettingValue | undefined,
): string | null {
  if (key === checkpointsKey || key === 'loops')
    return value === false && user !== false ? `a project cannot turn off ${key}` : null
  if (key === fetchAllowKey) return 'a project cannot allow requests to private addresses'
  if (!isAboutAgent(key) && !loweredByProjects.test(key)) return null
  const isDuration = settingsByKey.get(key)!.kind === 'duration'
  const limit = user ?? defaultOf(key)
  const isRaised = raisedByProjects.includes(key)
  if (limit === undefined || (isRaised ? value >= limit : value <= limit)) return null
  const show = (one: SettingValue): string => (isDuration ? formatDuration(one as number) : String(one))
  return `${show(value)} is ${isRaised ? 'less' : 'more'} than ${user === undefined ? 'the default' : 'your setting'}, ${show(limit)}`
}

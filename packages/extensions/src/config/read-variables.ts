import { callVariableNames, didYouMean, maxTimerMs, messageOf } from '@curfew/core/internal'
import { checkConfig } from './check-config.ts'
import {
  bareDurationWarning,
  type ConfigLayer,
  type ConfiguredValue,
  nest,
  parseSetting,
} from './config-layer.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { settingsByKey, variableOf } from './config-settings.ts'

/** Used as the file name in problems. */
const environment = 'the environment'

/** Reads settings from environment variables such as `CURFEW_LIMITS_DEPTH=3`. Empty variables are ignored. */
export function readVariables(env: Readonly<NodeJS.ProcessEnv>): ConfigLayer {
  const values = new Map<string, ConfiguredValue>()
  const problems: ConfigProblem[] = []
  const set = (variable: string, key: string, value: unknown): void => {
    const checked = checkConfig(nest(key, value), environment)
    for (const [name, value] of checked.values) values.set(name, { value, source: 'environment', variable })
    for (const problem of checked.problems) problems.push({ ...problem, field: variable })
  }
  const subagentMs = readSubagentLimit(env)
  if (subagentMs !== null) set(subagentMinutes, 'timeouts.subagent', subagentMs)
  else if (env[subagentMinutes]) {
    const message = `expected a number of minutes greater than zero, got ${JSON.stringify(env[subagentMinutes])}`
    problems.push(configError(environment, subagentMinutes, message))
  }
  for (const [key, setting] of settingsByKey) {
    const variable = variableOf(key)
    const text = env[variable]
    if (!text) continue
    try {
      set(variable, key, parseSetting(setting.kind, text))
    } catch (error) {
      problems.push(configError(environment, variable, messageOf(error)))
    }
    const warning = bareDurationWarning(setting, text)
    if (warning !== null) problems.push(configWarning(environment, variable, warning))
  }
  return { values, problems: [...problems, ...unknownVariables(env)] }
}

/** `MAX_SUBAGENT_TIMEOUT_MIN` in milliseconds: the default of subagents, and their maximum. `null` if it is not set, or invalid. */
export function readSubagentLimit(env: Readonly<NodeJS.ProcessEnv>): number | null {
  const minutes = env[subagentMinutes]
  const ms = minutes ? Number(minutes) * 60_000 : 0
  return ms > 0 ? Math.min(ms, maxTimerMs) : null
}

/** Variables with our prefix that are not settings are probably misspelled. */
function unknownVariables(env: Readonly<NodeJS.ProcessEnv>): ConfigProblem[] {
  const known = new Set([...otherVariables, ...[...settingsByKey.keys()].map(variableOf)])
  return Object.keys(env)
    .filter((name) => /^CURFEW_(?!TEST_)/.test(name) && env[name] && !known.has(name))
    .map((name) => {
      const hint = didYouMean(name, known) || 'curfew config lists the settings'
      return configWarning(environment, name, `unknown setting; ${hint}`)
    })
}

/** Variables with our prefix that are not settings. */
const otherVariables = [
  ...Object.values(callVariableNames),
  'CURFEW_CALL',
  'CURFEW_DEBUG',
  'CURFEW_KEY_FILE',
  'CURFEW_MCP_TOKEN',
  'CURFEW_PASSPHRASE',
  'CURFEW_SECRET_STORE',
  'CURFEW_TRUST',
]

/** The name that other agents use. */
const subagentMinutes = 'MAX_SUBAGENT_TIMEOUT_MIN'

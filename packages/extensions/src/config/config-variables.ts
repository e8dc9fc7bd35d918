import { didYouMean, maxTimerMs, messageOf } from '@curfew/core/internal'
import { checkConfig } from './check-config.ts'
import { type Layer, nest, readText, unitProblem, type Written } from './config-layer.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { settingsByKey, variableOf } from './config-settings.ts'

/** Stands in problems where there is no file. */
const where = 'the environment'

/** What variables set: `CURFEW_LIMITS_DEPTH=3`. An empty one sets nothing. */
export function readVariables(env: Readonly<NodeJS.ProcessEnv>): Layer {
  const values = new Map<string, Written>()
  const problems: ConfigProblem[] = []
  const read = (variable: string, key: string, value: unknown): void => {
    const checked = checkConfig(nest(key, value), where)
    for (const [name, value] of checked.values) values.set(name, { value, source: 'environment', variable })
    for (const problem of checked.problems) problems.push({ ...problem, field: variable })
  }
  const minutes = env[subagentMinutes]
  if (minutes) {
    const ms = Number(minutes) * 60_000
    if (ms > 0) read(subagentMinutes, 'timeouts.subagent', Math.min(ms, maxTimerMs))
    else {
      const message = `${JSON.stringify(minutes)} is not a usable number of minutes; write more than zero`
      problems.push(configError(where, subagentMinutes, message))
    }
  }
  for (const [key, setting] of settingsByKey) {
    const variable = variableOf(key)
    const text = env[variable]
    if (!text) continue
    try {
      read(variable, key, readText(setting.kind, text))
    } catch (error) {
      problems.push(configError(where, variable, messageOf(error)))
    }
    const unit = unitProblem(setting, text)
    if (unit !== null) problems.push(configWarning(where, variable, unit))
  }
  return { values, problems: [...problems, ...unknownVariables(env)] }
}

/** What begins like ours, but is not: hardly on purpose. */
function unknownVariables(env: Readonly<NodeJS.ProcessEnv>): ConfigProblem[] {
  const known = new Set([...otherVariables, ...[...settingsByKey.keys()].map(variableOf)])
  return Object.keys(env)
    .filter((name) => /^CURFEW_(?!TEST_)/.test(name) && env[name] && !known.has(name))
    .map((name) => {
      const hint = didYouMean(name, known) || 'curfew config lists the settings'
      return configWarning(where, name, `there is no such setting; ${hint}`)
    })
}

/** These are ours as well, but no settings. */
const otherVariables = [
  'CURFEW_CALL',
  'CURFEW_DEADLINE_MS',
  'CURFEW_DEBUG',
  'CURFEW_KEY_FILE',
  'CURFEW_MCP_TOKEN',
  'CURFEW_PASSPHRASE',
  'CURFEW_RUNTIME',
  'CURFEW_SECRET_STORE',
  'CURFEW_TRUST',
]

/** The name that others know it by. */
const subagentMinutes = 'MAX_SUBAGENT_TIMEOUT_MIN'

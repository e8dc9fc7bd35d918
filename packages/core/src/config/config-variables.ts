import { maxTimerMs } from '../duration/parse-duration.ts'
import { checkConfig } from './check-config.ts'
import { type Layer, nest, readText, type Written } from './config-layer.ts'
import { type ConfigProblem, configError } from './config-problem.ts'
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
  for (const [key, { kind }] of settingsByKey) {
    const variable = variableOf(key)
    const text = env[variable]
    if (text && kind !== 'rules') read(variable, key, readText(kind, text))
  }
  return { values, problems }
}

/** The name that others know it by. */
const subagentMinutes = 'MAX_SUBAGENT_TIMEOUT_MIN'

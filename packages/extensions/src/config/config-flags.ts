import { didYouMean, messageOf } from '@curfew/core/internal'
import { checkConfig } from './check-config.ts'
import { type Layer, nest, readText, unitProblem, type Written } from './config-layer.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { settingsByKey } from './config-settings.ts'

/** Stands in problems where there is no file. */
export const commandLine = 'the command line'

/** What `KEY=VALUE` sets; of two for one key the later counts, but rules add up. */
export function readFlags(flags: readonly string[]): Layer {
  const values = new Map<string, Written>()
  const problems: ConfigProblem[] = []
  for (const flag of flags) {
    const [, key = flag, text] = /^([^=]*)=([\s\S]*)$/.exec(flag) ?? []
    const setting = settingsByKey.get(key)
    if (setting === undefined) problems.push(configError(commandLine, key, unknownKey(key)))
    else if (text === undefined) problems.push(configError(commandLine, key, `write ${key}=VALUE`))
    else {
      let value: unknown
      try {
        value = readText(setting.kind, text)
      } catch (error) {
        problems.push(configError(commandLine, key, messageOf(error)))
        continue
      }
      const checked = checkConfig(nest(key, value), commandLine)
      problems.push(...checked.problems)
      const unit = unitProblem(setting, text)
      if (unit !== null) problems.push(configWarning(commandLine, key, unit))
      for (const [name, value] of checked.values) {
        const earlier = values.get(name)?.value
        const joined = Array.isArray(value) && Array.isArray(earlier) ? [...earlier, ...value] : value
        values.set(name, { value: joined, source: 'flag' })
      }
    }
  }
  return { values, problems }
}

function unknownKey(key: string): string {
  const within = [...settingsByKey.keys()].filter((known) => known.startsWith(`${key}.`))
  if (within.length > 0) return `has several settings: ${within.join(', ')}`
  return `there is no such setting; ${didYouMean(key, settingsByKey.keys()) || 'curfew config lists them'}`
}

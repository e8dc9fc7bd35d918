import { didYouMean, messageOf } from '@curfew/core/internal'
import { checkConfig } from './check-config.ts'
import { type ConfigLayer, type ConfiguredValue, isBareDuration, nest, parseSetting } from './config-layer.ts'
import { type ConfigProblem, configError } from './config-problem.ts'
import { findSetting, type Setting, settingsByKey, splitToolKey, toolSettingsByName } from './config-settings.ts'

/** Used as the file name in problems. */
export const commandLine = 'the command line'

/** Reads `KEY=VALUE` flags. If a key is repeated, the last value is used; rules are combined. */
export function readFlags(flags: readonly string[]): ConfigLayer {
  const values = new Map<string, ConfiguredValue>()
  const problems: ConfigProblem[] = []
  for (const flag of flags) {
    const [, written = flag, text] = /^([^=]*)=([\s\S]*)$/.exec(flag) ?? []
    const setting = findSetting(written)
    const key = splitToolKey(setting?.key ?? '') === null ? written : setting!.key
    const problem = setting === undefined ? unknownKey(key) : flagProblem(setting, key, text)
    if (problem !== null) {
      problems.push(configError(commandLine, key, problem))
      continue
    }
    let value: unknown
    try {
      value = parseSetting(setting!.kind, text!)
    } catch (error) {
      problems.push(configError(commandLine, key, messageOf(error)))
      continue
    }
    const checked = checkConfig(nest(key, value), commandLine)
    problems.push(...checked.problems)
    for (const [name, value] of checked.values) {
      const earlier = values.get(name)?.value
      const isRules = setting!.kind === 'rules' && Array.isArray(value) && Array.isArray(earlier)
      const joined = isRules ? [...earlier, ...value] : value
      values.set(name, { value: joined, source: 'flag' })
    }
  }
  return { values, problems }
}

/** Why there is no such setting. */
export function unknownKey(key: string): string {
  if (/^tools(\.|$)/.test(key)) return unknownToolKey(key)
  const within = [...settingsByKey.keys()].filter((known) => known.startsWith(`${key}.`))
  if (within.length > 0) return `has several settings: ${within.join(', ')}`
  return `unknown setting; ${didYouMean(key, settingsByKey.keys()) || 'curfew config lists them'}`
}

function unknownToolKey(key: string): string {
  const names = [...toolSettingsByName.keys()]
  const expected = `expected tools.PATTERN.SETTING, as in tools.mcp__github__*.timeout, with one of ${names.join(', ')}`
  const { pattern, name = '' } = splitToolKey(key) ?? {}
  if (pattern === undefined) return expected
  if (toolSettingsByName.has(name)) return 'expected the name of a tool, or a pattern with * or ?, after tools.'
  const near = didYouMean(name, names)
  return near === '' ? `unknown setting; ${expected}` : `unknown setting; ${near}`
}

/** A bare number is rejected because it means seconds on the command line, but milliseconds in `config.json`. */
export function flagProblem(setting: Setting, key: string, text: string | undefined): string | null {
  if (text === undefined) return `expected ${key}=VALUE, got ${key}`
  if (!isBareDuration(setting, text)) return null
  const bare = text.trim()
  const isSeconds = Number(bare) >= 1_000 && Number(bare) % 1_000 === 0
  const example = isSeconds ? `${Number(bare) / 1_000}s` : `${bare}s or ${bare}ms`
  return `expected a duration with a unit, got ${bare}; write ${example}`
}

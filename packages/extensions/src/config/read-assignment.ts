import { didYouMean, messageOf } from '@curfew/core/internal'
import { type CheckedConfig, checkConfig } from './check-config.ts'
import { isBareDuration, nest, parseSetting } from './config-layer.ts'
import { type ConfigProblem, configError } from './config-problem.ts'
import {
  findSetting,
  type Setting,
  settingsByKey,
  splitToolKey,
  toolSettingsByName,
} from './config-settings.ts'

/** Used as the file name in problems. */
export const commandLine = 'the command line'

/** A setting that was passed as `KEY=VALUE`. */
export interface Assignment {
  /** As it is shown elsewhere, without quotes around a pattern. */
  readonly key: string
  readonly setting: Setting
  /** As it can be written to `config.json`. */
  readonly value: unknown
  readonly checked: CheckedConfig
}

/** Parses `KEY=VALUE` and validates the value; returns a problem if that fails. */
export function readAssignment(assignment: string): Assignment | ConfigProblem {
  const [, written = assignment, text] = /^([^=]*)=([\s\S]*)$/.exec(assignment) ?? []
  const setting = findSetting(written)
  if (setting === undefined) return configError(commandLine, written, unknownKey(written))
  const key = splitToolKey(setting.key) === null ? written : setting.key
  const problem = textProblem(setting, key, text)
  if (problem !== null) return configError(commandLine, key, problem)
  try {
    const value = parseSetting(setting.kind, text!)
    return { key, setting, value, checked: checkConfig(nest(key, value), commandLine) }
  } catch (error) {
    return configError(commandLine, key, messageOf(error))
  }
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
  if (toolSettingsByName.has(name))
    return 'expected the name of a tool, or a pattern with * or ?, after tools.'
  return `unknown setting; ${didYouMean(name, names) || expected}`
}

/** A bare number is rejected because it means seconds on the command line, but milliseconds in `config.json`. */
function textProblem(setting: Setting, key: string, text: string | undefined): string | null {
  if (text === undefined) return `expected ${key}=VALUE, got ${key}`
  if (!isBareDuration(setting, text)) return null
  const bare = text.trim()
  const isSeconds = Number(bare) >= 1_000 && Number(bare) % 1_000 === 0
  const example = isSeconds ? `${Number(bare) / 1_000}s` : `${bare}s or ${bare}ms`
  return `expected a duration with a unit, got ${bare}; write ${example}`
}

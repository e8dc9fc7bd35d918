import { didYouMean, messageOf } from '@curfew/core/internal'
import { type CheckedConfig, checkConfig } from './check-config.ts'
import { isBareDuration, nest, parseSetting } from './config-layer.ts'
import { type ConfigProblem, configError } from './config-problem.ts'
import {
  entryGroups,
  findSetting,
  isEntryGroup,
  type Setting,
  settingsByKey,
  splitEntryKey,
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
  const key = splitEntryKey(setting.key) === null ? written : setting.key
  if (text === undefined) return configError(commandLine, key, `expected ${key}=VALUE, got ${key}`)
  try {
    const value = parseSetting(setting.kind, text)
    const problem = textProblem(setting, text, value)
    if (problem !== null) return configError(commandLine, key, problem)
    return { key, setting, value, checked: checkConfig(nest(key, value), commandLine) }
  } catch (error) {
    return configError(commandLine, key, messageOf(error))
  }
}

/** Why there is no such setting. */
export function unknownKey(key: string): string {
  const group = key.split('.', 1)[0]!
  if (isEntryGroup(group)) return unknownEntryKey(group, key)
  const within = [...settingsByKey.keys()].filter((known) => known.startsWith(`${key}.`))
  if (within.length > 0) return `has several settings: ${within.join(', ')}`
  return `unknown setting; ${didYouMean(key, settingsByKey.keys()) || 'curfew config lists them'}`
}

function unknownEntryKey(group: keyof typeof entryGroups, key: string): string {
  const { settings, expected: expectedEntry, example } = entryGroups[group]
  const names = [...settings.keys()]
  const placeholder = group === 'tools' ? 'PATTERN' : 'PROVIDER:NAME'
  const expected = `expected ${group}.${placeholder}.SETTING, as in ${example}, with one of ${names.join(', ')}`
  const entryKey = splitEntryKey(key)
  if (entryKey === null) return expected
  if (settings.has(entryKey.name)) return `expected ${expectedEntry}, after ${group}.`
  return `unknown setting; ${didYouMean(entryKey.name, names) || expected}`
}

/** Why a string cannot be a value of the setting. The schema's messages do not mention what was typed. */
function textProblem(setting: Setting, text: string, value: unknown): string | null {
  if (isBareDuration(setting, text)) return bareDurationProblem(text)
  if (typeof value !== 'string') return null
  const got = `got ${JSON.stringify(text)}`
  if (setting.kind === 'switch') return `expected true or false, ${got}`
  if (setting.kind === 'count' || setting.kind === 'number') return `expected a number, ${got}`
  if (setting.kind === 'duration' && !/\d\s*(ms|s|m|h|d)\s*$/.test(text))
    return `expected a duration with a unit, such as 90s or 5m, ${got}`
  return null
}

/** A bare number means seconds elsewhere on the command line, but milliseconds in `config.json`. */
function bareDurationProblem(text: string): string {
  const bare = text.trim()
  const isSeconds = Number(bare) >= 1_000 && Number(bare) % 1_000 === 0
  const example = isSeconds ? `${Number(bare) / 1_000}s` : `${bare}s or ${bare}ms`
  return `expected a duration with a unit, got ${bare}; write ${example}`
}

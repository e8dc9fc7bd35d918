import { parseDuration } from '@curfew/core'
import { messageOf, parseJson } from '@curfew/core/internal'
import type { ConfigProblem } from './config-problem.ts'
import { pathOf, type Setting, type SettingKind, type SettingValue } from './config-settings.ts'

export type LayerSource = 'user' | 'project' | 'environment' | 'flag'

/** A value and where it was set. */
export interface ConfiguredValue {
  readonly value: SettingValue
  readonly source: LayerSource
  /** Set if the source is a file. */
  readonly file?: string
  /** Set if the source is an environment variable. */
  readonly variable?: string
}

/** Everything that one source sets, by key. */
export interface ConfigLayer {
  readonly values: ReadonlyMap<string, ConfiguredValue>
  readonly problems: readonly ConfigProblem[]
}

/** `nest('limits.depth', 3)` is `{ limits: { depth: 3 } }`. */
export function nest(key: string, value: unknown): unknown {
  return pathOf(key).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
}

/** Whether a duration is a positive number without a unit. */
export function isBareDuration({ kind }: Setting, text: string): boolean {
  return kind === 'duration' && /^(\d+\.?\d*|\.\d+)$/.test(text.trim()) && Number(text) > 0
}

/** A warning if a bare number is unlikely to be meant as milliseconds, or `null`. */
export function bareDurationWarning(setting: Setting, text: string): string | null {
  if (!isBareDuration(setting, text) || Number(text) >= 1_000) return null
  const { fallback } = setting
  // Settings with a default of milliseconds, such as grace.
  if (fallback !== undefined && parseDuration(fallback, 'default') < 1_000) return null
  const bare = text.trim()
  return `${bare} is ${bare} ms; write ${bare}s?`
}

/**
 * Parses a setting that was passed as a string. A string that does not fit the kind is returned as it is, and the schema check
 * reports it. Throws if a list is not JSON.
 */
export function parseSetting(kind: SettingKind, text: string): unknown {
  switch (kind) {
    case 'rules':
      return text.trimStart().startsWith('[') ? parseArray(text, 'a rule or a JSON array of rules') : [text]
    case 'strings':
      return parseArray(text, 'a JSON array of strings, such as ["repo"]')
    case 'switch':
      return text === 'true' || (text === 'false' ? false : text)
    case 'duration':
    case 'count':
    case 'number':
      return /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text
    default:
      return text
  }
}

function parseArray(text: string, expected: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const problem = text.trimStart().startsWith('[')
      ? `: ${messageOf(error)}`
      : `, got ${JSON.stringify(text)}`
    throw new Error(`expected ${expected}${problem}`)
  }
}

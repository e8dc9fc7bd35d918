import { parseDuration } from '@curfew/core'
import { messageOf, parseJson } from '@curfew/core/internal'
import type { ConfigProblem } from './config-problem.ts'
import type { Setting, SettingValue } from './config-settings.ts'

export type LayerSource = 'user' | 'project' | 'environment' | 'flag'

/** A value, and where somebody wrote it. */
export interface Written {
  readonly value: SettingValue
  readonly source: LayerSource
  /** The file, if it stands in one. */
  readonly file?: string
  /** The variable, if it comes from the environment. */
  readonly variable?: string
}

/** All that one place sets, by key. */
export interface Layer {
  readonly values: ReadonlyMap<string, Written>
  readonly problems: readonly ConfigProblem[]
}

/** `nest('limits.depth', 3)` is `{ limits: { depth: 3 } }`. */
export function nest(key: string, value: unknown): unknown {
  return key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
}

/** A number without a unit that was hardly meant as milliseconds; `null` if all is well. */
export function unitProblem({ kind, fallback }: Setting, text: string): string | null {
  const bare = text.trim()
  if (kind !== 'duration' || !/^(\d+\.?\d*|\.\d+)$/.test(bare) || !(Number(bare) > 0)) return null
  // Some are that short.
  const usual = fallback === undefined ? Number.POSITIVE_INFINITY : parseDuration(fallback, 'fallback')
  return Number(bare) >= 1_000 || usual < 1_000 ? null : `${bare} is ${bare} ms; write ${bare}s?`
}

/** What a text means for a setting; what it cannot mean stays a text, and the check says so. Throws what is wrong with rules. */
export function readText(kind: string, text: string): unknown {
  switch (kind) {
    case 'rules':
      return text.trimStart().startsWith('[') ? readRules(text) : [text]
    case 'switch':
      return text === 'true' || (text === 'false' ? false : text)
    case 'duration':
    case 'count':
      return /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text
    default:
      return text
  }
}

function readRules(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new Error(`is neither a rule nor a JSON array of rules: ${messageOf(error)}`)
  }
}

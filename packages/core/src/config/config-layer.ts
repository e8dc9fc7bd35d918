import type { ConfigProblem } from './config-problem.ts'
import type { SettingValue } from './config-settings.ts'

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

/** What a text means for a setting; what it cannot mean stays a text, and the check says so. */
export function readText(kind: string, text: string): unknown {
  switch (kind) {
    case 'rules':
      return [text]
    case 'switch':
      return text === 'true' || (text === 'false' ? false : text)
    case 'duration':
    case 'count':
      return /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : text
    default:
      return text
  }
}

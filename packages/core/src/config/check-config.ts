import { type Adapter, adapterTimeouts } from '../deadline/adapter-timeouts.ts'
import { formatDuration } from '../duration/format-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { messageOf } from '../errors/message-of.ts'
import { documentChecker } from './check-document.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { configFileSchema } from './config-schema.ts'
import { configSettings, type SettingValue } from './config-settings.ts'

export interface CheckedConfig {
  /** What is set, by its key; durations in milliseconds. */
  readonly values: ReadonlyMap<string, SettingValue>
  readonly problems: readonly ConfigProblem[]
}

const checkAgainstSchema = documentChecker<unknown>(configFileSchema)

/** What a `config.json` sets. A field that is wrong leaves out itself and nothing else. Never throws. */
export function checkConfig(document: unknown, file: string): CheckedConfig {
  const problems = new Map<string | null, ConfigProblem>()
  // One problem for each field: the first says what is wrong, the others follow from it.
  const add = (problem: ConfigProblem): void => {
    if (!problems.has(problem.field)) problems.set(problem.field, problem)
  }
  const found = checkAgainstSchema(document, file).problems
  const values = new Map<string, SettingValue>()
  if (found.some(({ severity, field }) => severity === 'error' && field === null)) {
    return { values, problems: found.slice(0, 1) }
  }
  const broken = new Set(found.filter(({ severity }) => severity === 'error').map(({ field }) => field))
  const whole = broken.has('approval') ? document : expand(document)
  for (const { key, kind } of configSettings) {
    const value = valueAt(whole, key)
    if (value === undefined) continue
    if (kind === 'duration') {
      const read = readDuration(key, value, file)
      if (read.problem !== undefined) add(read.problem)
      if (read.ms !== undefined) values.set(key, read.ms)
    } else if (kind === 'rules' && Array.isArray(value)) {
      value.forEach((rule: unknown, index) => {
        const field = `${key}[${index}]`
        if (typeof rule === 'string' && broken.has(field)) add(configError(file, field, notARule(rule)))
      })
      if (!broken.has(key))
        values.set(
          key,
          value.filter((_, index) => !broken.has(`${key}[${index}]`)),
        )
    } else if (!broken.has(key)) {
      // An object with what belongs to a switch switches it on.
      values.set(key, kind === 'switch' && value !== false ? true : (value as SettingValue))
    }
  }
  for (const problem of found) add(problem)
  return { values, problems: [...problems.values()] }
}

/** `"approval": "deny"` is short for its default. */
function expand(document: unknown): unknown {
  const { approval, ...others } = document as { readonly approval?: unknown }
  return typeof approval === 'string' ? { ...others, approval: { default: approval } } : document
}

function valueAt(document: unknown, key: string): unknown {
  let value = document
  for (const name of key.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

function readDuration(key: string, value: unknown, file: string): { ms?: number; problem?: ConfigProblem } {
  // The schema says it better where there is no number and no text.
  if (typeof value === 'object') return {}
  let ms: number
  try {
    ms = parseDuration(value, key)
  } catch (error) {
    return { problem: configError(file, key, messageOf(error).slice(`${key}: `.length)) }
  }
  const capMs = capOf(key)
  if (capMs === null || ms <= capMs) return { ms }
  const message = `${formatDuration(ms)} is more than its adapter's hard cap; ${formatDuration(capMs)} counts`
  return { ms: capMs, problem: configWarning(file, key, message) }
}

function capOf(key: string): number | null {
  const [group, adapter] = key.split('.')
  return group === 'timeouts' ? adapterTimeouts[adapter as Adapter].capMs : null
}

function notARule(text: string): string {
  return `${JSON.stringify(text)} is not a rule; write "tool" or "tool(glob)"`
}

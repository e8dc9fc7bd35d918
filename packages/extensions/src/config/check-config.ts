import { formatDuration, parseDuration } from '@curfew/core'
import { type Adapter, adapterTimeouts, messageOf } from '@curfew/core/internal'
import { documentChecker } from './check-document.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { configFileSchema } from './config-schema.ts'
import { configSettings, type SettingKind, type SettingValue } from './config-settings.ts'

export interface CheckedConfig {
  /** What is set, by its key; durations in milliseconds. */
  readonly values: ReadonlyMap<string, SettingValue>
  readonly problems: readonly ConfigProblem[]
}

/** What one field says, if it says something. */
interface ReadField {
  readonly value?: SettingValue
  readonly problems?: readonly ConfigProblem[]
}

const checkAgainstSchema = documentChecker<unknown>(configFileSchema)

/** What a `config.json` sets. A field that is wrong leaves out itself and nothing else. Never throws. */
export function checkConfig(document: unknown, file: string): CheckedConfig {
  const found = checkAgainstSchema(document, file).problems
  const errors = found.filter(({ severity }) => severity === 'error')
  const broken = new Set(errors.map(({ field }) => field))
  const values = new Map<string, SettingValue>()
  if (broken.has(null)) return { values, problems: errors.slice(0, 1) }
  const problems: ConfigProblem[] = []
  const whole = broken.has('approval') ? document : expand(document)
  for (const { key, kind } of configSettings) {
    const written = valueAt(whole, key)
    if (written === undefined) continue
    const read = readField(kind, key, written, file, broken)
    if (read.value !== undefined) values.set(key, read.value)
    problems.push(...(read.problems ?? []))
  }
  return { values, problems: onePerField([...problems, ...found]) }
}

/** The first says what is wrong; the others follow from it. */
function onePerField(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const byField = new Map<string | null, ConfigProblem>()
  for (const problem of problems) if (!byField.has(problem.field)) byField.set(problem.field, problem)
  return [...byField.values()]
}

function readField(
  kind: SettingKind,
  key: string,
  value: unknown,
  file: string,
  broken: ReadonlySet<string | null>,
): ReadField {
  if (kind === 'duration') return readDuration(key, value, file)
  if (broken.has(key)) return {}
  if (kind === 'rules') return readRules(key, value as unknown[], file, broken)
  // An object with what belongs to a switch switches it on.
  return { value: kind === 'switch' ? value !== false : (value as SettingValue) }
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

function readDuration(key: string, value: unknown, file: string): ReadField {
  // The schema says it better where there is no number and no text.
  if (typeof value === 'object') return {}
  let ms: number
  try {
    ms = parseDuration(value, key)
  } catch (error) {
    return { problems: [configError(file, key, messageOf(error).slice(`${key}: `.length))] }
  }
  const capMs = capOf(key)
  if (capMs === null || ms <= capMs) return { value: ms }
  const message = `${formatDuration(ms)} is more than its adapter's hard cap; ${formatDuration(capMs)} counts`
  return { value: capMs, problems: [configWarning(file, key, message)] }
}

function capOf(key: string): number | null {
  const [group, adapter] = key.split('.')
  return group === 'timeouts' ? adapterTimeouts[adapter as Adapter].capMs : null
}

function readRules(
  key: string,
  list: readonly unknown[],
  file: string,
  broken: ReadonlySet<string | null>,
): ReadField {
  const rules: string[] = []
  const problems: ConfigProblem[] = []
  for (const [index, rule] of list.entries()) {
    const field = `${key}[${index}]`
    if (typeof rule !== 'string') continue
    if (!broken.has(field)) rules.push(rule)
    else {
      const message = `${JSON.stringify(rule)} is not a rule; write "tool" or "tool(glob)"`
      problems.push(configError(file, field, message))
    }
  }
  return rules.length === 0 ? { problems } : { value: rules, problems }
}

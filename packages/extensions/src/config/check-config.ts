import { parseDuration } from '@curfew/core'
import { type Adapter, describeCapped, joinPath, messageOf } from '@curfew/core/internal'
import { documentChecker } from './check-document.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { configFileSchema } from './config-schema.ts'
import {
  configSettings,
  entryGroups,
  isEntryGroup,
  pathOf,
  type SettingKind,
  type SettingValue,
} from './config-settings.ts'
import { expectedText } from './model-settings.ts'

export interface CheckedConfig {
  /** Values by key; durations in milliseconds. */
  readonly values: ReadonlyMap<string, SettingValue>
  readonly problems: readonly ConfigProblem[]
}

interface ReadField {
  readonly value?: SettingValue
  readonly problems?: readonly ConfigProblem[]
}

const checkAgainstSchema = documentChecker<unknown>(configFileSchema)

/** Validates the content of a `config.json`. An invalid field is left out; the others are used. Never throws. */
export function checkConfig(document: unknown, file: string): CheckedConfig {
  const found = checkAgainstSchema(document, file).problems
  const errors = found.filter(({ severity }) => severity === 'error')
  const broken = new Set(errors.map(({ field }) => field))
  const values = new Map<string, SettingValue>()
  if (broken.has(null)) return { values, problems: errors.slice(0, 1) }
  const problems: ConfigProblem[] = []
  const expanded = broken.has('approval') ? document : expandApproval(document)
  const read = (kind: SettingKind, key: string, value: unknown): void => {
    const field = readField(kind, key, value, file, broken)
    if (field.value !== undefined) values.set(key, field.value)
    problems.push(...(field.problems ?? []))
  }
  for (const { key, kind } of configSettings) {
    const value = valueAt(expanded, key)
    if (value !== undefined) read(kind, key, value)
  }
  for (const [group, entries] of entriesOf(document)) {
    if (!isEntryGroup(group)) continue
    for (const { key, kind, value } of fieldsOf(group, entries)) read(kind, key, value)
    problems.push(...invalidEntries(group, entries, file))
  }
  return { values, problems: onePerField([...problems, ...found]) }
}

/** Keeps the first problem of each field, because the others follow from it. */
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
  const field = joinPath(pathOf(key))
  if (broken.has(field)) {
    const expected = typeof value === 'string' ? expectedText(key) : null
    return expected === null ? {} : { problems: [configError(file, field, `expected ${expected}`)] }
  }
  // An error in one item of a list concerns the whole list.
  if (kind === 'strings' && [...broken].some((other) => other?.startsWith(`${field}[`))) return {}
  if (kind === 'rules') return readRules(key, value as unknown[], file, broken)
  // An object with the settings of a switch turns it on.
  return { value: kind === 'switch' ? value !== false : (value as SettingValue) }
}

interface EntryField {
  readonly key: string
  readonly kind: SettingKind
  readonly value: unknown
}

/** The known settings in the entries of a group, in the order of the file. */
function fieldsOf(group: keyof typeof entryGroups, entries: unknown): readonly EntryField[] {
  const { names, settings } = entryGroups[group]
  const fields = (prefix: string, content: unknown, path = ''): EntryField[] =>
    entriesOf(content).flatMap(([name, value]) => {
      const kind = settings.get(path + name)?.kind
      // A group of settings, such as `price`.
      if (kind === undefined) return path === '' ? fields(`${prefix}${name}.`, value, `${name}.`) : []
      return [{ key: prefix + name, kind, value }]
    })
  return entriesOf(entries)
    .filter(([entry]) => names.test(entry) && !isComment(entry))
    .flatMap(([entry, content]) => fields(`${group}.${entry}.`, content))
}

function invalidEntries(
  group: keyof typeof entryGroups,
  entries: unknown,
  file: string,
): readonly ConfigProblem[] {
  const { names, expected } = entryGroups[group]
  return entriesOf(entries)
    .filter(([entry]) => !names.test(entry) && !isComment(entry))
    .map(([entry]) => configError(file, joinPath([group, entry]), `expected ${expected}, as key`))
}

function isComment(key: string): boolean {
  return key.startsWith('//')
}

/** Own properties of an object; none for other values. */
function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

/** `"approval": "deny"` is short for `"approval": { "default": "deny" }`. */
function expandApproval(document: unknown): unknown {
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

/** The names of tools that show their adapter, which has a cap. */
const cappedTool = /^tools\.(?:invoke_)?(api(?=_)|subagent|external_agent|cross_review).*\.timeout$/

function readDuration(key: string, value: unknown, file: string): ReadField {
  // The schema's message is better if the value is neither a number nor a string.
  if (typeof value === 'object') return {}
  let ms: number
  try {
    ms = parseDuration(value, key)
  } catch (error) {
    return { problems: [configError(file, key, messageOf(error).slice(`${key}: `.length))] }
  }
  const adapter = /^timeouts\.(.+)/.exec(key)?.[1] ?? cappedTool.exec(key)?.[1]?.replace('_', '-')
  const capped = adapter === undefined ? null : describeCapped(adapter as Adapter, ms)
  return { value: ms, ...(capped !== null && { problems: [configWarning(file, key, capped)] }) }
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
      const message = `expected a rule such as "tool" or "tool(glob)", got ${JSON.stringify(rule)}`
      problems.push(configError(file, field, message))
    }
  }
  return rules.length === 0 ? { problems } : { value: rules, problems }
}

import { CurfewError, type Tool } from '@curfew/core'
import { joinPath, messageOf } from '@curfew/core/internal'
import { type ConfigProblem, configError, formatProblem } from './config-problem.ts'
import { readJsonFile } from './read-json-file.ts'

export interface LoadedTool {
  readonly tool: Tool
  readonly file: string
  /** The file sets `always_allow`. */
  readonly alwaysAllow: boolean
  /** The file sets `readOnly`, and nothing else shows that the tool changes nothing. */
  readonly claimsReadOnly: boolean
}

/** A tool that could not be loaded. */
export interface MissingTool {
  readonly name: string
  /** The formatted problem of its file. */
  readonly reason: string
}

export interface LoadedTools {
  readonly tools: readonly LoadedTool[]
  readonly problems: readonly ConfigProblem[]
  /** The name in the file, also if the file is invalid. */
  readonly declaredName?: string | undefined
}

export interface LoadedFolder extends LoadedTools {
  readonly missing: readonly MissingTool[]
}

/** Loads files in parallel. A problem in one does not affect the others. */
export async function loadEach(
  files: readonly string[],
  load: (file: string) => Promise<LoadedTools>,
  nameOf: (file: string, declaredName: string | undefined) => string,
): Promise<LoadedFolder> {
  const loaded = await Promise.all(
    files.map(async (file) => {
      const { tools, problems, declaredName } = await load(file).catch((error) => unusable(file, error))
      const problem = tools.length > 0 ? undefined : problems.find(({ severity }) => severity === 'error')
      const missing =
        problem === undefined ? [] : [{ name: nameOf(file, declaredName), reason: formatProblem(problem) }]
      return { tools, problems, missing }
    }),
  )
  return {
    tools: loaded.flatMap(({ tools }) => tools),
    problems: loaded.flatMap(({ problems }) => problems),
    missing: loaded.flatMap(({ missing }) => missing),
  }
}

/** Reads a file and loads what it describes. */
export async function loadFile(
  file: string,
  missing: string,
  load: (value: unknown) => LoadedTools | Promise<LoadedTools>,
): Promise<LoadedTools> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return onlyProblem(configError(file, null, missing))
  if (read.kind === 'problem') return onlyProblem(read.problem)
  const { tools, problems } = await load(read.value)
  return { declaredName: declaredNameIn(read.value), tools, problems: [...read.problems, ...problems] }
}

/** Defines the tool of a file, whose content may have other problems. */
export function defineFrom(
  file: string,
  problems: readonly ConfigProblem[],
  define: () => Omit<LoadedTool, 'file'>,
): LoadedTools {
  try {
    return { tools: [{ ...define(), file }], problems }
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    return onlyProblem(configError(file, error.field ?? null, error.problem), problems)
  }
}

/** More mistakes than anyone makes, except for one who wants to stall this process. */
const maxRounds = 20

/** Loads the content of a file. One mistake must not hide others, so it is replaced, and the rest is loaded again. */
export function loadContent(value: unknown, load: (value: unknown) => LoadedTools): LoadedTools {
  const loaded = load(value)
  const problems = [...loaded.problems]
  let found = errorFields(problems)
  let rest = value
  for (let round = 0; round < maxRounds && found.size > 0; round++) {
    rest = repair(rest, found)
    const known = problems.map(({ field }) => field ?? '')
    const follows = consequences.filter(([cause]) => known.some((field) => cause.test(field)))
    const others = load(rest).problems.filter(
      ({ field }) =>
        !known.includes(field ?? '') && !follows.some(([, consequence]) => consequence.test(field ?? '')),
    )
    problems.push(...others)
    found = errorFields(others)
  }
  return { ...loaded, problems }
}

function errorFields(problems: readonly ConfigProblem[]): ReadonlySet<string> {
  return new Set(problems.flatMap(({ severity, field }) => (severity === 'error' && field) || []))
}

/** Without these, the others may seem wrong. */
const consequences: readonly (readonly [cause: RegExp, consequence: RegExp])[] = [
  [/^parameters(\.[^.]+)?$/, /^(endpoint|resources)\b/],
  [/^endpoint\.url$/, /^endpoint\.content_type$/],
]

/** Takes the place of fields that are required, in a copy that is only checked. */
const placeholders: Readonly<Record<string, unknown>> = {
  description: 'x',
  endpoint: { url: 'https://localhost' },
  type: 'string',
  url: 'https://localhost',
}

function repair(value: unknown, broken: ReadonlySet<string>, path: readonly PropertyKey[] = []): unknown {
  const isBroken = (key: PropertyKey): boolean => broken.has(joinPath([...path, key]))
  const repaired = (key: PropertyKey, child: unknown): unknown => repair(child, broken, [...path, key])
  if (Array.isArray(value)) return value.map((item, index) => (isBroken(index) ? 'x' : repaired(index, item)))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !isBroken(key))
  return {
    ...Object.fromEntries(kept.map(([key, child]) => [key, repaired(key, child)])),
    ...Object.fromEntries(Object.entries(placeholders).filter(([key]) => isBroken(key))),
  }
}

/** The `name` in the content of a file that may be invalid. */
function declaredNameIn(value: unknown): string | undefined {
  const { name } = Object(value) as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** A missing folder is not a problem. */
export function unreadableFolder(folder: string, error: unknown): LoadedFolder {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return { tools: [], problems: [], missing: [] }
  const problem = configError(folder, null, `cannot be read: ${messageOf(error)}`)
  return { ...onlyProblem(problem), missing: [] }
}

export function onlyProblem(problem: ConfigProblem, others: readonly ConfigProblem[] = []): LoadedTools {
  return { tools: [], problems: [...others, problem] }
}

export function unusable(file: string, error: unknown): LoadedTools {
  return onlyProblem(configError(file, null, `cannot be used: ${messageOf(error)}`))
}

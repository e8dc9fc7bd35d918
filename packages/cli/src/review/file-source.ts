import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import type { ConfigProblem } from '@curfew/extensions'
import { configWarning, parseJsonc, readToolFile, type ToolFileFormat } from '@curfew/extensions/internal'
import { fromTool, readSuppressions } from '@curfew/review'
import { shortPath } from '../short-path.ts'
import { type JsonDocument, readJsonDocument, UnreadableDocument } from './read-json-document.ts'
import { reviewError } from './review-error.ts'
import { findDefinitions, fromDefinitionList, type SourceTool, type ToolSource } from './tool-source.ts'

/** Reads a folder of scripts or APIs, one of their files, or a response to `tools/list`; `-` is standard input. */
export async function fileSource(path: string): Promise<ToolSource> {
  if (path === '-') return sourceOf('standard input', [await readOne(null)])
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error) {
    const why = found.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${found.message}`
    throw reviewError(`${path} ${why}`)
  }
  if (!found.isDirectory()) return sourceOf(basename(path), [await readOne(path)])
  const files = await filesIn(path)
  if (files.length === 0) {
    throw reviewError(`${path} contains no tools: expected folders with a tool.json, or .json files of APIs`)
  }
  return sourceOf(shortPath(path), await Promise.all(files.map(readOne)))
}

interface ReadFile {
  readonly tools: readonly SourceTool[]
  readonly problems: readonly ConfigProblem[]
  readonly notices: readonly string[]
}

function sourceOf(name: string, read: readonly ReadFile[]): ToolSource {
  const tools = read.flatMap((file) => file.tools)
  return {
    sets: tools.length === 0 ? [] : [{ name, pattern: '*', tools }],
    problems: read.flatMap(({ problems }) => problems),
    notices: read.flatMap(({ notices }) => notices),
  }
}

async function readOne(file: string | null): Promise<ReadFile> {
  const name = file ?? 'standard input'
  const failed = (message: string): ReadFile => ({
    tools: [],
    problems: [{ severity: 'error', file: name, field: null, message }],
    notices: [],
  })
  let document: JsonDocument
  try {
    document = await readJsonDocument(file)
  } catch (error) {
    if (error instanceof UnreadableDocument) return failed(error.message)
    throw error
  }
  const { value } = document
  const format = formatOf(file, value)
  if (format !== null) return readOwnFile(document, format, name)
  const list = findDefinitions(value)
  if (list === null) return failed(describeOther(value))
  if (list.definitions.length === 0) return failed('contains an empty list of tools')
  const notices = list.hasMore
    ? [`${name} is one page of a list (it has a nextCursor); the other pages are not reviewed`]
    : []
  return { tools: fromDefinitionList(document, list), problems: [], notices }
}

function readOwnFile(document: JsonDocument, format: ToolFileFormat, name: string): ReadFile {
  const { tools, problems } = readToolFile(format, document.value, name)
  return {
    tools: tools.map(({ tool }) => fromOwnFile(tool, document, format)),
    problems: [...problems, ...duplicateKeyWarnings(document, name)],
    notices: [],
  }
}

const maxWarnings = 20

function duplicateKeyWarnings({ text }: JsonDocument, file: string): ConfigProblem[] {
  return parseJsonc(text)
    .duplicateKeys.slice(0, maxWarnings)
    .map(({ path, line, column }) =>
      configWarning(file, path, `line ${line}, column ${column}: duplicate key; only the last one is used`),
    )
}

/** A tool from a tool.json or API file, with the suppressions in that file. */
export function fromOwnFile(
  tool: Parameters<typeof fromTool>[0],
  document: JsonDocument,
  format: ToolFileFormat,
): SourceTool {
  const { review } = Object(document.value) as { review?: unknown }
  const { suppressions, findings } = readSuppressions(review, '/review')
  return {
    shownName: tool.name,
    tool: fromTool(tool, { suppressions }),
    findings,
    origin: { document, format, base: '' },
  }
}

/** The format of a Curfew tool file; `null` for anything else. */
function formatOf(file: string | null, value: unknown): ToolFileFormat | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const has = (key: string): boolean => Object.hasOwn(value, key)
  if (has('endpoint')) return 'api'
  if (file !== null && basename(file) === 'tool.json' && !has('inputSchema') && !has('tools')) return 'script'
  if (has('tools') || has('result') || has('inputSchema')) return null
  return has('description') && (has('parameters') || has('name')) ? 'script' : null
}

function describeOther(value: unknown): string {
  const { error, tools } = Object(value) as { error?: { message?: unknown }; tools?: unknown }
  if (typeof error?.message === 'string') {
    return `is an error response from a server: ${error.message.slice(0, 200)}`
  }
  if (tools !== undefined) return 'is not a list of tools: expected "tools" to be an array'
  return 'contains no tools: expected a response to tools/list, a tool.json or an API file'
}

const maxFiles = 5_000

/** The tool files in a folder: of one tool, of several tools, or of a whole configuration. */
async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw reviewError(`${folder} cannot be read: ${messageOf(error)}`)
  })
  if (names.some(({ name }) => name === 'tool.json')) return [join(folder, 'tool.json')]
  if (names.some(({ name }) => name === 'extensions'))
    return await filesInExtensions(join(folder, 'extensions'))
  const files: string[] = []
  for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (/^[._]/.test(name) || name === 'node_modules') continue
    const path = join(folder, name)
    if (await isFile(join(path, 'tool.json'))) files.push(join(path, 'tool.json'))
    else if (name.endsWith('.json') && (await isFile(path)) && !notTools.has(name)) files.push(path)
  }
  files.push(...(await filesInExtensions(folder)))
  if (files.length > maxFiles)
    throw reviewError(`${folder} contains too many tools: expected at most ${maxFiles}, got ${files.length}`)
  return files
}

async function filesInExtensions(extensions: string): Promise<string[]> {
  const inside = async (name: string): Promise<string[]> =>
    (await isFolder(join(extensions, name))) ? await filesIn(join(extensions, name)) : []
  return [...(await inside('scripts')), ...(await inside('apis'))]
}

/** Other files that are common next to tools. */
const notTools = new Set(['package.json', 'package-lock.json', 'tsconfig.json', 'config.json', 'mcp.json'])

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}

import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import type { ConfigProblem } from '@curfew/extensions'
import type { ToolFileFormat } from '@curfew/extensions/internal'
import { fromTool, readSuppressions } from '@curfew/review'
import { shortPath } from '../short-path.ts'
import { findDefinitions, toolsOfList } from './list-source.ts'
import { type JsonDocument, readJsonDocument, UnreadableDocument } from './read-json-document.ts'
import type { SourceTool, ToolSource } from './tool-source.ts'
import { reviewError } from './review-error.ts'

/** A folder of scripts or APIs, one such file, or what a server answers to `tools/list`; `-` is standard input. */
export async function fileSource(path: string): Promise<ToolSource> {
  if (path === '-') return sourceOf('standard input', [await readOne(null)])
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error) {
    const why = found.code === 'ENOENT' ? 'is not there' : `cannot be read: ${found.message}`
    throw reviewError(`${path} ${why}`)
  }
  if (!found.isDirectory()) return sourceOf(shortPath(path), [await readOne(path)])
  const files = await filesIn(path)
  if (files.length === 0) {
    throw reviewError(`${path} has no tools: no folder in it has a tool.json, and there is no .json file of an API`)
  }
  return sourceOf(shortPath(path), await Promise.all(files.map(readOne)))
}

interface ReadFile {
  readonly tools: readonly SourceTool[]
  readonly problems: readonly ConfigProblem[]
  readonly remarks: readonly string[]
}

function sourceOf(name: string, read: readonly ReadFile[]): ToolSource {
  const tools = read.flatMap((file) => file.tools)
  return {
    sets: tools.length === 0 ? [] : [{ name, tools }],
    problems: read.flatMap(({ problems }) => problems),
    remarks: read.flatMap(({ remarks }) => remarks),
  }
}

async function readOne(file: string | null): Promise<ReadFile> {
  const name = file ?? 'standard input'
  const failed = (message: string): ReadFile => ({
    tools: [],
    problems: [{ severity: 'error', file: name, field: null, message }],
    remarks: [],
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
  if (format !== null) return await readOwnFile(document, format, name)
  const list = findDefinitions(value)
  if (list === null) return failed(whatElse(value))
  if (list.definitions.length === 0) return failed('lists no tools, so there is nothing to review')
  const remarks = list.hasMore
    ? [`${name} is one page of a list (nextCursor); the others are not reviewed`]
    : []
  return { tools: toolsOfList(document, list), problems: [], remarks }
}

async function readOwnFile(document: JsonDocument, format: ToolFileFormat, name: string): Promise<ReadFile> {
  // A list of definitions needs none of what runs tools.
  const { readToolFile } = await import('@curfew/extensions/internal')
  const { tools, problems } = readToolFile(format, document.value, name)
  return { tools: tools.map(({ tool }) => ownTool(tool, document, format)), problems, remarks: [] }
}

/** A tool of one of our own files, with what its file asks the review to ignore. */
export function ownTool(
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

/** Which of our own formats it is; `null` for something else. */
function formatOf(file: string | null, value: unknown): ToolFileFormat | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const has = (key: string): boolean => Object.hasOwn(value, key)
  if (has('endpoint')) return 'api'
  if (file !== null && basename(file) === 'tool.json' && !has('inputSchema') && !has('tools')) return 'script'
  if (has('tools') || has('result') || has('inputSchema')) return null
  return has('description') && (has('parameters') || has('name')) ? 'script' : null
}

function whatElse(value: unknown): string {
  const { error, tools } = Object(value) as { error?: { message?: unknown }; tools?: unknown }
  if (typeof error?.message === 'string') {
    return `is an error that a server answered: ${error.message.slice(0, 200)}`
  }
  if (tools !== undefined) return 'has "tools", but that is not a list'
  return 'describes no tools: it is neither an answer to tools/list, nor a tool.json, nor an API file'
}

const maxFiles = 5_000

/** The files of tools in a folder: of one tool, of many, or of a whole configuration. */
async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw reviewError(`${folder} cannot be read: ${messageOf(error)}`)
  })
  if (names.some(({ name }) => name === 'tool.json')) return [join(folder, 'tool.json')]
  if (names.some(({ name }) => name === 'extensions')) return await filesBelow(join(folder, 'extensions'))
  const files: string[] = []
  for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (/^[._]/.test(name) || name === 'node_modules') continue
    const path = join(folder, name)
    if (await isFile(join(path, 'tool.json'))) files.push(join(path, 'tool.json'))
    else if (name.endsWith('.json') && (await isFile(path)) && !notTools.has(name)) files.push(path)
  }
  files.push(...(await filesBelow(folder)))
  if (files.length > maxFiles) throw reviewError(`${folder} has ${files.length} tools; the most is ${maxFiles}`)
  return files
}

async function filesBelow(extensions: string): Promise<string[]> {
  const inside = async (name: string): Promise<string[]> =>
    (await isFolder(join(extensions, name))) ? await filesIn(join(extensions, name)) : []
  return [...(await inside('scripts')), ...(await inside('apis'))]
}

/** They lie beside tools, and say nothing about any. */
const notTools = new Set(['package.json', 'package-lock.json', 'tsconfig.json', 'config.json', 'mcp.json'])

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}

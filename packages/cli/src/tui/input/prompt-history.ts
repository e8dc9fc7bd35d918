import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { projectFolder } from '@curfew/agent/internal'
import {
  ensureFolder,
  nearestName,
  openOwnFile,
  readRange,
  replaceFile,
  tryFileLock,
} from '@curfew/core/internal'
import { cleanInput } from './clean-input.ts'

/** What the editor needs of a history. */
export interface PromptHistory {
  /** Oldest first. */
  readonly entries: readonly string[]
  add(text: string): void
}

/** A history that is kept in a file. */
export interface StoredPromptHistory extends PromptHistory {
  /** Resolves when everything is written. Never rejects. */
  flush(): Promise<void>
}

export interface PromptHistoryOptions {
  /** `stateHome()`. */
  readonly stateFolder: string
  /** The folder of the project, as for sessions. */
  readonly project: string
  /** `runtime.redact`. */
  readonly redact: (text: string) => string
}

const maxEntries = 1_000
const maxBytes = 1_000_000
/** What is kept when there are more, so that the file is not rewritten for each prompt. */
const keptPart = 0.9
/** Longer ones are kept only while the program runs. */
const maxEntryBytes = 100_000
const abandonedMs = 60_000
const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants

/** The prompts typed in a project, by any process. Never rejects: without its file, the history ends with the program. */
export async function openPromptHistory(options: PromptHistoryOptions): Promise<StoredPromptHistory> {
  const path = historyPath(options)
  const stored = await readEntries(path).catch((): string[] => [])
  const entries = stored.slice(-maxEntries)
  let storedCount = stored.length
  let writing = Promise.resolve()
  const write = async (entry: string): Promise<void> => {
    const size = await append(path, entry)
    if (size <= maxBytes && ++storedCount <= maxEntries) return
    await shorten(path)
    storedCount = maxEntries * keptPart
  }
  return {
    entries,
    add(text) {
      const entry = storablePrompt(text, options.redact)
      if (entry === null || entry === entries.at(-1)) return
      entries.push(entry)
      if (entries.length > maxEntries) entries.shift()
      // A history that cannot be written must not disturb the conversation.
      writing = writing.then(() => write(entry)).catch(() => {})
    },
    flush: () => writing,
  }
}

function historyPath({ stateFolder, project }: PromptHistoryOptions): string {
  return join(stateFolder, 'history', `${basename(projectFolder(stateFolder, project))}.jsonl`)
}

/** One write per entry in append mode, so that those of several processes do not mix. Returns the size of the file. */
async function append(path: string, entry: string): Promise<number> {
  const line = Buffer.from(`${JSON.stringify(entry)}\n`)
  if (line.length > maxEntryBytes) return 0
  await ensureFolder(dirname(path))
  const handle = await openOwnFile(path, O_RDWR | O_APPEND | O_CREAT)
  try {
    // Another process may have been killed while it wrote.
    const { size } = await handle.stat()
    const isComplete = size === 0 || (await readRange(handle, size - 1, size))[0] === 10
    await handle.appendFile(isComplete ? line : Buffer.concat([Buffer.from('\n'), line]))
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** Reads at most the last megabyte. */
async function readEntries(path: string): Promise<string[]> {
  const handle = await openOwnFile(path, O_RDONLY)
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - maxBytes)
    const lines = (await readRange(handle, start, size)).toString('utf8').split('\n')
    if (start > 0) lines.shift()
    return lines.flatMap(decode)
  } finally {
    await handle.close()
  }
}

/** Removes the oldest entries. An entry that another process adds at this moment may get lost. */
async function shorten(path: string): Promise<void> {
  const lock = await tryFileLock(path, abandonedMs)
  if (lock === null) return
  try {
    const entries = await readEntries(path)
    const lines = entries.slice(-maxEntries * keptPart).map((entry) => JSON.stringify(entry))
    let bytes = 0
    const first = lines.findLastIndex((line) => {
      bytes += Buffer.byteLength(line) + 1
      return bytes > maxBytes * keptPart
    })
    await replaceFile(
      path,
      lines
        .slice(first + 1)
        .join('\n')
        .concat('\n'),
    )
  } finally {
    await lock.release()
  }
}

/** Ignores lines that are damaged or come from another version. */
function decode(line: string): string[] {
  if (line === '' || line.length > maxEntryBytes) return []
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'string') return []
    const clean = cleanInput(entry)
    return clean.trim() === '' ? [] : [clean]
  } catch {
    return []
  }
}

/** Unlike a value, the name of a secret is usually written like this. */
const secretName = /^[A-Z][A-Z0-9_]*$/

/** Names that people give to commands of their own, so that these are not taken for a mistyped `/secret`. */
const similarNames = ['search', 'select', 'script', 'reset', 'sort']

/**
 * What may be kept of a typed prompt, without secrets; `null` if nothing. A space at the start keeps it out of the history, as in a shell.
 * `/secret`, even if mistyped, is kept only with what is clearly a name.
 */
export function storablePrompt(text: string, redact: (text: string) => string): string | null {
  if (text.startsWith(' ') || text.trim() === '') return null
  const [, name, args = ''] = /^\s*\/([^\s/]+)\s*(.*)$/s.exec(text) ?? []
  if (name !== undefined && nearestName(name, ['secret', ...similarNames]) === 'secret') {
    const value = args.trim()
    if (value !== '' && !(name === 'secret' && secretName.test(value))) return null
  }
  try {
    return redact(text)
  } catch {
    return null
  }
}

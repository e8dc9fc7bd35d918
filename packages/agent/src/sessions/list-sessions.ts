import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { attempt, escapeInvisible, openOwnFile, parseJson, readRange } from '@curfew/core/internal'
import { checkHeader, checkRecord } from './check-record.ts'
import { type FoundSession, findSessions } from './find-session.ts'
import { isPrompt, type SessionHeader, type SessionRecord } from './session-record.ts'

const headBytes = 16_384
const tailBytes = 4_096
const maxPromptLength = 200
/** Files that are open at the same time. */
const concurrency = 32

export interface SessionSummary extends Pick<SessionHeader, 'id' | 'project' | 'model' | 'createdAt'> {
  readonly path: string
  readonly updatedAt: number
  /** `null` if the conversation ended unexpectedly after a long turn. */
  readonly turns: number | null
  /** The beginning of the first prompt, in one line. */
  readonly prompt: string
  readonly bytes: number
}

export interface ListOptions {
  /** Where Curfew keeps its state. */
  readonly folder: string
  /** Only the sessions of this project. */
  readonly project?: string
}

/**
 * The saved sessions, last used first. Reads only the beginning and the end of each file. Files that are not sessions, or belong to
 * another user, are left out.
 */
export async function listSessions({ folder, project }: ListOptions): Promise<SessionSummary[]> {
  const waiting = await findSessions(folder, project)
  const summaries: SessionSummary[] = []
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const summary = await summarize(next).catch(() => null)
      if (summary !== null) summaries.push(summary)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return summaries.sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))
}

async function summarize({ id, path }: FoundSession): Promise<SessionSummary> {
  const handle = await openOwnFile(path, constants.O_RDONLY)
  try {
    const { size, mtimeMs } = await handle.stat()
    const head = await readRange(handle, 0, Math.min(size, headBytes))
    const [first = '', ...lines] = head.toString().split('\n')
    const { project, model, createdAt }: SessionHeader = checkHeader(parseJson(first))
    const records = lines.map(readRecord)
    const turns =
      size <= headBytes
        ? records.filter((record) => record !== null && isPrompt(record)).length
        : await turnsAtEnd(handle, size)
    const prompt = firstPrompt(lines, records)
    return { id, path, project, model, createdAt, updatedAt: Math.round(mtimeMs), turns, prompt, bytes: size }
  } finally {
    await handle.close()
  }
}

/** The last records of a turn contain the number. */
async function turnsAtEnd(handle: FileHandle, size: number): Promise<number | null> {
  const text = (await readRange(handle, size - tailBytes, size)).toString()
  for (const line of text.split('\n').reverse()) {
    const record = readRecord(line)
    if ((record?.type === 'counts' || record?.type === 'end') && record.turns !== undefined)
      return record.turns
  }
  return null
}

/** `null` if it is cut off, or not a record. */
function readRecord(line: string): SessionRecord | null {
  return attempt(() => checkRecord(parseJson(line)), null)
}

function firstPrompt(lines: readonly string[], records: readonly (SessionRecord | null)[]): string {
  const found = records.find((record) => record !== null && isPrompt(record))
  if (found?.type === 'item' && found.item.type === 'user') {
    const text = found.item.parts.find((part) => part.type === 'text')?.text ?? ''
    return oneLine(text)
  }
  return oneLine(cutOffPrompt(lines.at(-1) ?? ''))
}

/** The beginning of a prompt that is longer than what was read. */
function cutOffPrompt(line: string): string {
  const [, escaped = ''] =
    /"source":"person".*?"type":"text","text":"((?:[^"\\]|\\.){0,2000})/s.exec(line) ?? []
  return attempt(() => JSON.parse(`"${escaped.replace(/\\u?[0-9a-f]{0,3}$/i, '')}"`) as string, '')
}

function oneLine(text: string): string {
  const line = escapeInvisible(
    text
      .slice(0, 2 * maxPromptLength)
      .replace(/\s+/g, ' ')
      .trim(),
  )
  return line.length > maxPromptLength ? `${line.slice(0, maxPromptLength - 1)}…` : line
}

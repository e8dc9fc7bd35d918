import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { FileLock } from '@curfew/core/internal'
import { openOwnFile } from '@curfew/core/internal'
import type { HistoryItem } from '../history/history-item.ts'
import { findSession } from './find-session.ts'
import { readSession, type SessionContents } from './read-session.ts'
import { type RestoredHistory, restoreHistory } from './restore-history.ts'
import { checkFolder, openSession, type Session, type SessionOptions, startSession } from './session-file.ts'
import { lockSession } from './session-lock.ts'
import { isPrompt, type SessionHeader, type SessionRecord } from './session-record.ts'
import { isWithin, maxFileSize } from './session-size.ts'

const portion = 1_000

export interface ResumeOptions extends SessionOptions {
  /** The id, or its last part (`k3f`) if no other session has the same. */
  readonly id: string
}

export interface ResumedSession {
  /** Has another id if the conversation continues in a copy. */
  readonly session: Session
  readonly header: SessionHeader
  readonly history: RestoredHistory
  /** For the person: why the conversation continues in a copy; `null` if it does not. */
  readonly notice: string | null
}

/**
 * Continues a saved conversation. If another process is using the session, or its file is large, the conversation continues in a
 * copy with a new id. Throws if there is no such session, or its file is invalid.
 */
export async function resumeSession(options: ResumeOptions): Promise<ResumedSession> {
  checkFolder(options.folder)
  const { id, path } = await findSession(options.folder, options.id)
  const lock = await lockSession(path)
  try {
    const contents = await readSession(path)
    // A larger file is copied, without the items that were removed.
    if (lock !== null && isWithin(contents.size, maxFileSize, 1 / 2))
      return await continueSession(options, id, path, lock, contents)
    const resumed = await copySession(options, id, contents, lock === null)
    await lock?.release()
    return resumed
  } catch (error) {
    await lock?.release()
    throw error
  }
}

async function continueSession(
  options: ResumeOptions,
  id: string,
  path: string,
  lock: FileLock,
  { header, records, size }: SessionContents,
): Promise<ResumedSession> {
  const history = restoreHistory(records)
  const session = openSession(options, lock, {
    id,
    path,
    header: null,
    size,
    turns: records.filter(isPrompt).length,
    open: () => openForAppending(path, size.bytes),
  })
  const known = new Set(records.map((record) => (record.type === 'item' ? record.item : null)))
  await appendAll(session, history.items.filter((item) => !known.has(item)).map(itemRecord))
  return { session, header, history, notice: null }
}

async function copySession(
  options: ResumeOptions,
  id: string,
  { header, records }: SessionContents,
  isInUse: boolean,
): Promise<ResumedSession> {
  const history = restoreHistory(records, isInUse ? 'the session was copied' : undefined)
  const { items, counts, loaded, model } = history
  const session = await startSession(
    { ...options, project: header.project, model: model ?? header.model },
    id,
  )
  await appendAll(session, [
    ...items.flatMap((item): SessionRecord[] =>
      // A summary takes effect with the removal after it.
      item.type === 'user' && item.source === 'summary'
        ? [itemRecord(item), { type: 'removed', before: 0 }]
        : [itemRecord(item)],
    ),
    { type: 'loaded', tools: loaded },
    { type: 'counts', ...counts },
  ])
  const notice = isInUse
    ? `session ${id} is in use by another process, so this conversation continues in a copy: ${session.id}`
    : `the file of session ${id} is large, so this conversation continues in a new one: ${session.id}`
  return { session, header, history, notice }
}

/** In portions, because the queue of a session is limited. */
async function appendAll(session: Session, records: readonly SessionRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += portion) {
    for (const record of records.slice(at, at + portion)) session.append(record)
    await session.written()
  }
}

/** Without a torn last line. */
async function openForAppending(path: string, bytes: number): Promise<FileHandle> {
  const handle = await openOwnFile(path, constants.O_WRONLY | constants.O_APPEND)
  try {
    if ((await handle.stat()).size < bytes) throw new Error('another program has changed the file')
    await handle.truncate(bytes)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

function itemRecord(item: HistoryItem): SessionRecord {
  return { type: 'item', item }
}

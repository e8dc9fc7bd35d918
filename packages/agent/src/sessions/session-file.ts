import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import {
  type Clock,
  type FileLock,
  messageOf,
  openOwnFile,
  systemClock,
  unexpectedOption,
} from '@curfew/core/internal'
import type { Redact } from './record-redactor.ts'
import { RecordWriter, type RecordWriterOptions } from './record-writer.ts'
import { ensureProjectFolder, projectFolder, sessionPath } from './session-folder.ts'
import { newSessionId } from './session-id.ts'
import { lockSession } from './session-lock.ts'
import { type SessionHeader, type SessionRecord, sessionVersion } from './session-record.ts'

const maxIdAttempts = 10

export interface SessionOptions {
  /** Where Curfew keeps its state, such as `~/.local/state/curfew`; absolute. */
  readonly folder: string
  /** Removes secrets from plain data and strings; applied to everything that is written. */
  readonly redact: Redact
  /** Called at most once, if the conversation can no longer be saved completely. */
  readonly onProblem: (message: string) => void
  readonly clock?: Clock
}

export interface NewSessionOptions extends SessionOptions {
  /** The folder that the conversation is about. Its sessions are listed together. */
  readonly project: string
  /** `provider:model`. */
  readonly model: string
}

/** A conversation that is being saved. Nothing here throws: if saving fails, the conversation goes on. */
export interface Session {
  /** Such as `20261116-193012-k3f`. */
  readonly id: string
  /** The file is created with the first record. */
  readonly path: string
  /** Writes a record in the background. The record must not change afterwards. */
  append(record: SessionRecord): void
  /** Resolves when all records survive the end of this process. Call it before calls run. */
  written(): Promise<void>
  /** Resolves when all records are on the disk. Call it at the end of a turn. */
  flush(): Promise<void>
  /** Flushes, and lets other processes resume the session. */
  close(): Promise<void>
}

/** Starts saving a new conversation. */
export async function createSession(options: NewSessionOptions): Promise<Session> {
  checkFolder(options.folder)
  return await startSession(options, null)
}

/** `forkedFrom` is the session that the new one is a copy of. */
export async function startSession(options: NewSessionOptions, forkedFrom: string | null): Promise<Session> {
  const { folder, project, model, clock = systemClock } = options
  const createdAt = clock.wallTime()
  const reserved = await reserveId(folder, project, createdAt).catch((error: unknown) => messageOf(error))
  const id = typeof reserved === 'string' ? newSessionId(createdAt) : reserved.id
  const path = sessionPath(projectFolder(folder, project), id)
  const header: SessionHeader = {
    type: 'session',
    version: sessionVersion,
    id,
    createdAt,
    project,
    model,
    ...(forkedFrom === null ? {} : { forkedFrom }),
  }
  return openSession(options, typeof reserved === 'string' ? null : reserved.lock, {
    id,
    path,
    header,
    size: { bytes: 0, lines: 0, values: 0 },
    turns: 0,
    open: async () => {
      if (typeof reserved === 'string') throw new Error(reserved)
      return await createFile(path)
    },
  })
}

type OpenOptions = Pick<RecordWriterOptions, 'path' | 'header' | 'size' | 'turns' | 'open'> & {
  readonly id: string
}

/** Saves to a file whose lock is held. */
export function openSession(
  { redact, onProblem, clock = systemClock }: SessionOptions,
  lock: FileLock | null,
  { id, ...file }: OpenOptions,
): Session {
  const writer = new RecordWriter({ ...file, redact, onProblem, clock })
  return {
    id,
    path: file.path,
    append: (record) => writer.append(record),
    written: () => writer.written(),
    flush: () => writer.flush(),
    async close() {
      // As long as this process may still write, the lock is kept.
      if (await writer.close()) await lock?.release().catch(() => {})
    },
  }
}

export function checkFolder(folder: string): void {
  if (typeof folder === 'string' && isAbsolute(folder)) return
  throw unexpectedOption(
    'folder',
    'an absolute path such as ~/.local/state/curfew with the home folder filled in',
    folder,
  )
}

/** The lock reserves the id, because the file is created later. */
async function reserveId(
  folder: string,
  project: string,
  createdAt: number,
): Promise<{ readonly id: string; readonly lock: FileLock }> {
  const parent = await ensureProjectFolder(folder, project)
  for (let attempt = 0; attempt < maxIdAttempts; attempt++) {
    const id = newSessionId(createdAt)
    const path = sessionPath(parent, id)
    const lock = await lockSession(path)
    if (lock === null) continue
    if ((await lstat(path).catch(() => null)) === null) return { id, lock }
    await lock.release()
  }
  throw new Error(`found no free session id in ${maxIdAttempts} attempts`)
}

async function createFile(path: string): Promise<Awaited<ReturnType<typeof open>>> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants
  const handle = await openOwnFile(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL)
  // After a power failure, the folder must list the file. Not every file system supports this.
  const folder = await open(dirname(path), 'r').catch(() => null)
  await folder?.sync().catch(() => {})
  await folder?.close()
  return handle
}

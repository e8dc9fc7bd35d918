import type { Runtime } from '@curfew/core'
import { type Control, startControl } from './control/start-control.ts'
import { CallRecorder } from './store/call-recorder.ts'
import { journalPath } from './store/journal-path.ts'
import { JournalWriter } from './store/journal-writer.ts'
import { ownIdentity } from './store/run-liveness.ts'
import { newRunName } from './store/run-name.ts'
import type { LostCall } from './store/writer-messages.ts'

const defaultMaxAgeDays = 30
const defaultMaxBytes = 268_435_456

export interface JournalOptions {
  /** Where Curfew keeps its state, such as `~/.local/state/curfew`. */
  readonly stateFolder: string
  /** The folder of the project. Each project has its own file. */
  readonly project: string
  /** The name of this program in `curfew ps`. */
  readonly program: string
  /** The version of this program. */
  readonly version?: string | undefined
  /**
   * Calls older than this are removed.
   * @default 30
   */
  readonly maxAgeDays?: number | undefined
  /**
   * The oldest calls are removed if the file gets larger than this.
   * @default 268_435_456
   */
  readonly maxBytes?: number | undefined
  /**
   * For short processes: the thread that writes the file and the control socket are started after this time, and not at all if the journal
   * is closed earlier.
   * @default at once
   */
  readonly delayMs?: number | undefined
  /** Called with calls of other processes that ended without closing the journal; each call is reported once. */
  readonly onLost?: ((calls: readonly LostCall[]) => void) | undefined
  /** Called at most once per problem. Calls continue without being recorded. */
  readonly warn: (message: string) => void
}

export interface AttachOptions {
  /** The id of the saved conversation that new calls belong to. */
  readonly session?: (() => string | null) | undefined
}

/** Records the calls of the runtimes in this process. */
export interface Journal {
  /** The first part of the ids of its calls, such as `m4tq`. */
  readonly run: string
  readonly path: string
  /** What other processes can request from this one. `curfew ps` and `curfew cancel` use it. */
  readonly control: Control
  /** Resolves when the file is open, or cannot be opened, or that takes longer than a second; and when there is a control socket, or cannot be one. */
  opened(): Promise<void>
  /** Records all calls of a runtime from now on. Returns a function that stops that. */
  attach(runtime: Runtime, options?: AttachOptions): () => void
  /** The id of a call in the journal; `undefined` if it is unknown. */
  idOf(runtime: Runtime, uid: number): string | undefined
  /** The running call with this id. */
  find(id: string): { readonly runtime: Runtime; readonly uid: number } | undefined
  /** Resolves when everything up to now is written. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Never rejects: a journal that cannot be written is reported by `warn`. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const journal = startJournal(options)
  await journal.opened()
  return journal
}

/** Does not wait until the file is open: what happens until then is written later. */
export function startJournal(options: JournalOptions): Journal {
  const { stateFolder, project, program, version = '', warn } = options
  const path = journalPath(stateFolder, project)
  const calls = new CallRecorder()
  const run = {
    ...ownIdentity(),
    name: newRunName(),
    program,
    version,
    pid: process.pid,
    startedAt: Date.now(),
  }
  const { maxAgeDays = defaultMaxAgeDays, maxBytes = defaultMaxBytes, delayMs } = options
  const writer = new JournalWriter({
    data: { path, project, run, maxAgeDays, maxBytes },
    calls,
    warn,
    threadDelayMs: delayMs,
  })
  calls.sink = writer
  if (options.onLost !== undefined) writer.onLost = options.onLost
  const ids: Pick<Journal, 'idOf' | 'find'> = {
    idOf(runtime, uid) {
      const number = calls.numberOf(runtime, uid)
      return number === undefined ? undefined : `${writer.name}-${number}`
    },
    find(id) {
      const [, run, number] = /^(\w+)-(\d{1,15})$/.exec(id) ?? []
      return run === writer.name ? calls.find(Number(number)) : undefined
    },
  }
  const control = startControl({
    stateFolder,
    run: () => writer.name,
    program,
    version,
    project,
    ids,
    warn,
    delayMs,
  })
  const reachable = control.opened().then((socket) => writer.setSocket(socket))

  return {
    get run() {
      return writer.name
    },
    path,
    control,
    async opened() {
      await Promise.all([writer.opened(), reachable])
    },
    attach(runtime, { session = () => null } = {}) {
      const stops = [calls.attach(runtime, session), control.attach(runtime)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    ...ids,
    flush: () => writer.flush(),
    async close() {
      await writer.close()
      // Afterwards, so that whoever notices its end finds the last state in the file.
      await control.close()
      calls.close()
    },
  }
}

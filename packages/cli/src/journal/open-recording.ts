import type { Runtime } from '@curfew/core'
import { type LogEntry, messageOf, systemClock, withTimer } from '@curfew/core/internal'
import type { Config } from '@curfew/extensions'
import {
  type AttachOptions,
  type Journal,
  type LogFields,
  openLog,
  type ProjectLog,
  startJournal,
} from '@curfew/journal'
import { curfewVersion } from '../curfew-version.ts'
import { stateHome } from '../state-home.ts'
import { DeferredJournal } from './deferred-journal.ts'

/** What records calls in `curfew ps` and in every line of the log. */
export type RecordingProgram = 'call' | 'mcp' | 'terminal' | 'prompt' | 'acp'

export interface RecordingOptions {
  readonly program: RecordingProgram
  readonly config: Pick<Config, 'recording' | 'roots'>
  /** Called at most once per problem. */
  readonly warn: (message: string) => void
}

/** The journal and the log of a project, as far as they are turned on. */
export interface Recording {
  /** Started on first use, at the latest. */
  readonly journal: Journal | null
  readonly log: ProjectLog | null
  /** Calls the listener when the journal is started, if it is turned on. */
  onJournal(listener: (journal: Journal) => void): void
  /** Call it for each runtime, before it is created. */
  connect(next: RuntimeLog): RuntimeConnection
  /** Call it after the runtimes are closed. Resolves when everything is written, or cannot be. */
  close(): Promise<void>
}

/** Records the calls of one runtime. */
export interface RuntimeConnection {
  /** For `createRuntime`: writes warnings and errors to the log of the project, and passes everything on. */
  readonly log: RuntimeLog
  /** Records all calls from now on. */
  attach(runtime: Runtime, options?: AttachOptions): void
}

type RuntimeLog = (entry: LogEntry) => void

/** Loading the log takes a few milliseconds, which the start of a program should not wait for. */
const startLineMs = 250
/** Most calls of `curfew call` end earlier, and then need no thread, which takes as long as everything else. */
const callDelayMs = 100
/** A disk that does not respond must not keep a program from ending. */
const closeMs = 6_000

/** Returns at once: files are opened in the background, and what happens until then is written later. */
export function openRecording(options: RecordingOptions): Recording {
  const { program, config, warn } = options
  const { journal: journalSettings, log: logSettings } = config.recording
  const shared = { stateFolder: stateHome(), project: config.roots.projectFolder, program }
  let hasWarned = false
  let warned: Promise<void> = Promise.resolve()
  const warnOfLog = async (message: string): Promise<void> => {
    // If the folder of both cannot be written, one warning is enough.
    await deferred?.opened()
    if (!hasWarned) warn(message)
  }
  const log = logSettings.enabled
    ? openLog({
        ...shared,
        ...logSettings,
        warn: (message) => {
          warned = warnOfLog(message)
        },
      })
    : null
  const open = (): Journal =>
    startJournal({
      ...shared,
      ...journalSettings,
      version: curfewVersion(),
      delayMs: program === 'call' ? callDelayMs : undefined,
      onLost: (calls) => log?.writeLost(calls),
      warn: (message) => {
        hasWarned = true
        log?.write('warn', message)
        warn(message)
      },
    })
  const deferred: DeferredJournal | null = journalSettings.enabled ? new DeferredJournal(open) : null
  const programLines = new ProgramLines(log, () => ({ run: deferred?.start().run, project: shared.project }))
  // A single call has its own line if it fails.
  if (program !== 'call') programLines.start()

  return {
    get journal() {
      return deferred?.start() ?? null
    },
    log,
    onJournal: (listener) => deferred?.onStart(listener),
    connect(next) {
      let idOf = (_uid: number): string | undefined => undefined
      return {
        log: (entry) => {
          if (log !== null) writeEntry(log, entry, idOf)
          next(entry)
        },
        attach(runtime, attachOptions) {
          idOf = (uid) => deferred?.idOf(runtime, uid)
          deferred?.attach(runtime, attachOptions)
          log?.attach(runtime, { idOf })
        },
      }
    },
    async close() {
      programLines.end()
      const closed = async (): Promise<void> => {
        // It may still have something to log.
        await deferred?.close()
        await log?.close()
      }
      await withTimer(systemClock, closeMs, (elapsed) => Promise.race([closed(), elapsed]))
      await warned
    },
  }
}

/** Heartbeats are logged as events. Everything that a runtime logs is without secrets. */
function writeEntry(log: ProjectLog, entry: LogEntry, idOf: (uid: number) => string | undefined): void {
  const { level, message, callUid: uid, error, heartbeat } = entry
  if (heartbeat !== undefined) return
  // What tools log is of interest to their authors.
  const lineLevel = level === 'info' ? 'debug' : level
  const call = uid === undefined ? undefined : idOf(uid)
  log.write(lineLevel, message, { call, uid, error: error === undefined ? undefined : messageOf(error) })
}

/** When the program started and ended. */
class ProgramLines {
  readonly #log: ProjectLog | null
  readonly #fields: () => LogFields
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout | null = null
  #isStarted = false

  constructor(log: ProjectLog | null, fields: () => LogFields) {
    this.#log = log
    this.#fields = fields
  }

  start(): void {
    this.#timer = setTimeout(() => this.#writeStart(), startLineMs).unref()
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    // A program that ends this early has done nothing.
    if (!this.#isStarted) return
    const durationMs = Math.round(performance.now() - this.#startedAt)
    this.#log?.write('info', 'ended', { ...this.#fields(), durationMs })
    this.#isStarted = false
  }

  #writeStart(): void {
    this.#isStarted = true
    this.#log?.write('info', 'started', { ...this.#fields(), version: curfewVersion() })
  }
}

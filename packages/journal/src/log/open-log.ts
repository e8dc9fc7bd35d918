import type { Runtime } from '@curfew/core'
import { capText } from '@curfew/core/internal'
import type { LostCall } from '../store/writer-messages.ts'
import { describeLost, logCalls } from './log-calls.ts'
import { LogFile } from './log-file.ts'
import { logPath } from './log-folder.ts'
import { isAtLeast, type LogFields, type LogLevel } from './log-level.ts'

export interface LogOptions {
  /** Where Curfew keeps its state, such as `~/.local/state/curfew`. */
  readonly stateFolder: string
  /** The folder of the project. Each project has its own log. */
  readonly project: string
  /** The name of this program, which is part of every line. */
  readonly program: string
  /**
   * Lines below this level are left out.
   * @default 'info'
   */
  readonly level?: LogLevel | undefined
  /**
   * A file that gets larger than this is renamed.
   * @default 10_485_760
   */
  readonly maxBytes?: number | undefined
  /**
   * The number of old files.
   * @default 3
   */
  readonly maxFiles?: number | undefined
  /** Called at most once. Calls continue without being logged. */
  readonly warn: (message: string) => void
}

export interface LogAttachOptions {
  /** The id of a call in the journal. */
  readonly idOf?: ((uid: number) => string | undefined) | undefined
}

/** The log of a project: lines of JSON, for long calls and for what went wrong. */
export interface ProjectLog {
  readonly path: string
  /** Logs the heartbeats, failures and late ends of a runtime's calls. Returns a function that stops that. */
  attach(runtime: Runtime, options?: LogAttachOptions): () => void
  /** `fields` must not contain secrets. */
  write(level: LogLevel, message: string, fields?: LogFields): void
  /** Logs calls whose processes ended before they did. */
  writeLost(calls: readonly LostCall[]): void
  /** Whether lines of this level are written. */
  isEnabled(level: LogLevel): boolean
  /** Resolves when everything up to now is written, or cannot be. */
  flush(): Promise<void>
  close(): Promise<void>
}

const maxStringLength = 2_000

/** Creates no file before the first line. */
export function openLog(options: LogOptions): ProjectLog {
  const { stateFolder, project, program, warn } = options
  const { level: minLevel = 'info', maxBytes = 10_485_760, maxFiles = 3 } = options
  // On demand: loading node:crypto takes several milliseconds.
  let path: string | null = null
  let file: LogFile | null = null

  function getPath(): string {
    path ??= logPath(stateFolder, project)
    return path
  }

  function write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!isEnabled(level)) return
    file ??= new LogFile({ path: getPath(), maxBytes, maxFiles, warn })
    const dropped = file.isAccepting ? file.takeDropped() : 0
    if (dropped > 0 && isEnabled('warn'))
      push(file, 'warn', 'lines were dropped, because the log could not be written', { dropped })
    push(file, level, capText(message, maxStringLength), boundFields(fields))
  }

  function push(opened: LogFile, level: LogLevel, msg: string, fields: LogFields): void {
    const time = new Date().toISOString()
    const line = JSON.stringify({ level, time, pid: process.pid, program, ...fields, msg })
    opened.push(`${escapeUnusual(line)}\n`)
  }

  function isEnabled(level: LogLevel): boolean {
    return isAtLeast(level, minLevel)
  }

  return {
    get path() {
      return getPath()
    },
    attach: (runtime, { idOf = () => undefined } = {}) => logCalls(runtime, { write, isEnabled, idOf }),
    write,
    writeLost(calls) {
      for (const call of calls) write('warn', ...describeLost(call))
    },
    isEnabled,
    flush: async () => await file?.flush(),
    close: async () => await file?.close(),
  }
}

/** Strings come from tools and models, and a line has to stay short. */
function boundFields(fields: LogFields): LogFields {
  const bound = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? capText(value, maxStringLength) : value,
  ])
  return Object.fromEntries(bound) as LogFields
}

/** JSON escapes only some of the characters that can control a terminal or hide text. They are always within a string. */
function escapeUnusual(line: string): string {
  return line.replace(
    /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

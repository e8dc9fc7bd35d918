import { readDuration } from '@curfew/core/internal'
import type { ConfigProblem } from '@curfew/extensions'
import { extractForeignKeys } from './foreign-keys.ts'
import { runnerOf } from './package-runner.ts'
import { readHttpTarget } from './read-http-target.ts'
import { readStdioTarget } from './read-stdio-target.ts'
import type { Report } from './report.ts'
import {
  downloadTimeoutMs,
  type HttpTarget,
  type ServerConfig,
  type StdioTarget,
  serverDefaults,
} from './server-config.ts'
import { checkServerEntry, type ServerEntry } from './server-file.ts'
import { serverNameProblem } from './server-name.ts'

export interface ServerPlace {
  readonly file: string
  readonly root: string
  readonly env: Readonly<NodeJS.ProcessEnv>
}

export interface ReadServer {
  /** `'disabled'` if the file says so, `null` if it cannot be used. */
  readonly server: ServerConfig | 'disabled' | null
  readonly problems: readonly ConfigProblem[]
}

/** One server of the file. Never throws. */
export function readServer(name: string, entry: unknown, place: ServerPlace): ReadServer {
  const { file } = place
  const at = `mcpServers.${name}`
  const problems: ConfigProblem[] = []
  const report: Report = (field, message, severity = 'error') =>
    void problems.push({ severity, file, field: field === null ? at : `${at}.${field}`, message })
  const failed = (): boolean => problems.some(({ severity }) => severity === 'error')
  const ended = (server: ReadServer['server']): ReadServer => ({ server, problems })

  const nameProblem = serverNameProblem(name)
  if (nameProblem !== null) report(null, nameProblem)
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    report(null, 'must be an object with "command" or "url"')
    return ended(null)
  }
  // What is switched off may be half finished.
  if (!failed() && Object.hasOwn(entry, 'disabled') && (entry as { disabled: unknown }).disabled === true) {
    return ended('disabled')
  }
  const { own, foreign } = extractForeignKeys(name, entry as Readonly<Record<string, unknown>>)
  for (const { key, message, severity } of foreign) report(key, message, severity)
  const checked = checkServerEntry(own, file)
  for (const { field, message, severity } of checked.problems) report(field, message, severity)
  if (checked.document === null) return ended(null)
  const { document } = checked
  const timeouts = readTimeouts(document, report)
  const target = readTarget(document, place, report)
  if (target === null || failed()) return ended(null)
  const { trust, eager, include = null, exclude } = document
  const { startTimeoutMs = defaultStartTimeoutMs(target) } = timeouts
  return ended({
    name,
    file,
    root: place.root,
    target,
    ...timeouts,
    startTimeoutMs,
    trust,
    eager,
    include,
    exclude,
  })
}

/** Longer for a server that is downloaded first. */
export function defaultStartTimeoutMs(target: StdioTarget | HttpTarget): number {
  return runnerOf({ target }) === null ? serverDefaults.startTimeoutMs : downloadTimeoutMs
}

function readTarget(entry: ServerEntry, place: ServerPlace, report: Report): StdioTarget | HttpTarget | null {
  const { command, url, type } = entry
  if (command !== undefined && url !== undefined) {
    report(null, 'has both "command" and "url"; keep one of the two')
    return null
  }
  if (command === undefined && url === undefined) {
    report(null, 'needs "command" (a program to start) or "url" (a server that runs somewhere)')
    return null
  }
  if (type !== undefined && (type === 'stdio') !== (command !== undefined)) {
    report('type', `"${type}" goes with "${type === 'stdio' ? 'command' : 'url'}"`)
    return null
  }
  return command === undefined
    ? readHttpTarget(entry, url!, place.env, report)
    : readStdioTarget(entry, command, place, report)
}

type Timeouts = Readonly<Record<'timeoutMs' | 'idleTimeoutMs' | 'startTimeoutMs', number | undefined>>

function readTimeouts(entry: ServerEntry, report: Report): Timeouts {
  const read = (field: 'timeout' | 'idleTimeout' | 'startTimeout'): number | undefined => {
    const value = entry[field]
    if (value === undefined) return undefined
    const duration = readDuration(value)
    if ('problem' in duration) {
      report(field, duration.problem)
      return undefined
    }
    // Others count in seconds.
    if (typeof value === 'number' && value < 1_000)
      report(field, `${value} is ${value} ms; write "${value}s"?`, 'warning')
    return duration.ms
  }
  return {
    timeoutMs: read('timeout'),
    idleTimeoutMs: read('idleTimeout'),
    startTimeoutMs: read('startTimeout'),
  }
}

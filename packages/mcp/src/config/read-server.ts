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

export interface EntrySource {
  readonly file: string
  readonly root: string
  readonly env: Readonly<NodeJS.ProcessEnv>
}

export interface ReadServer {
  /** `null` if the entry is invalid. */
  readonly server: ServerConfig | 'disabled' | null
  readonly problems: readonly ConfigProblem[]
  /** The environment variables that are not set; the entry is invalid because of them. */
  readonly needs: readonly string[]
}

/** Reads one server of the file. Never throws. */
export function readServer(name: string, entry: unknown, source: EntrySource): ReadServer {
  const { file } = source
  const at = `mcpServers.${name}`
  const problems: ConfigProblem[] = []
  const needs = new Set<string>()
  const report: Report = (field, message, kind = 'error') => {
    const severity = typeof kind === 'object' ? 'error' : kind
    if (typeof kind === 'object') needs.add(kind.unset)
    problems.push({ severity, file, field: field === null ? at : `${at}.${field}`, message })
  }
  const failed = (): boolean => problems.some(({ severity }) => severity === 'error')
  const result = (server: ReadServer['server']): ReadServer => ({ server, problems, needs: [...needs] })

  const nameProblem = serverNameProblem(name)
  if (nameProblem !== null) report(null, nameProblem)
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    report(null, 'expected an object with "command" or "url"')
    return result(null)
  }
  // A disabled entry may be incomplete.
  if (!failed() && Object.hasOwn(entry, 'disabled') && (entry as { disabled: unknown }).disabled === true) {
    return result('disabled')
  }
  const { own, foreign } = extractForeignKeys(name, entry as Readonly<Record<string, unknown>>)
  for (const { key, message, severity } of foreign) report(key, message, severity)
  const checked = checkServerEntry(own, file)
  for (const { field, message, severity } of checked.problems) report(field, message, severity)
  if (checked.document === null) return result(null)
  const { document } = checked
  const timeouts = readTimeouts(document, report)
  const idleStopMs = readIdleStop(document, report)
  const target = readTarget(document, source, report)
  if (target === null || failed()) return result(null)
  const { trust, eager, include = null, exclude, strict, protocol = null, instances, pin, loops } = document
  const { startTimeoutMs = defaultStartTimeoutMs(target) } = timeouts
  return result({
    name,
    file,
    root: source.root,
    target,
    ...timeouts,
    startTimeoutMs,
    trust,
    eager,
    include,
    exclude,
    strict,
    protocol,
    idleStopMs,
    instances,
    pin,
    loops,
  })
}

/** Longer for a server that is downloaded first. */
export function defaultStartTimeoutMs(target: StdioTarget | HttpTarget): number {
  return runnerOf({ target }) === null ? serverDefaults.startTimeoutMs : downloadTimeoutMs
}

function readTarget(
  entry: ServerEntry,
  source: EntrySource,
  report: Report,
): StdioTarget | HttpTarget | null {
  const { command, url, type } = entry
  if (command !== undefined && url !== undefined) {
    report(null, 'has both "command" and "url"; keep one of the two')
    return null
  }
  if (command === undefined && url === undefined) {
    report(null, 'requires "command" (a program to start) or "url" (a remote server)')
    return null
  }
  if (type !== undefined && (type === 'stdio') !== (command !== undefined)) {
    report('type', `"${type}" requires "${type === 'stdio' ? 'command' : 'url'}"`)
    return null
  }
  return command === undefined
    ? readHttpTarget(entry, url!, source.env, report)
    : readStdioTarget(entry, command, source, report)
}

type Timeouts = Readonly<Record<'timeoutMs' | 'idleTimeoutMs' | 'startTimeoutMs', number | undefined>>

function readTimeouts(entry: ServerEntry, report: Report): Timeouts {
  return {
    timeoutMs: readField('timeout', entry.timeout, report),
    idleTimeoutMs: readField('idleTimeout', entry.idleTimeout, report),
    startTimeoutMs: readField('startTimeout', entry.startTimeout, report),
  }
}

function readIdleStop({ idleStop, eager }: ServerEntry, report: Report): number | null {
  if (idleStop === false) return null
  if (idleStop === true) {
    report('idleStop', 'expected a duration such as "10m", or false')
    return null
  }
  // An eager server is meant to be ready at any time.
  return readField('idleStop', idleStop, report) ?? (eager ? null : serverDefaults.idleStopMs)
}

function readField(field: string, value: number | string | undefined, report: Report): number | undefined {
  if (value === undefined) return undefined
  const duration = readDuration(value)
  if ('problem' in duration) {
    report(field, duration.problem)
    return undefined
  }
  // Other tools use seconds.
  if (typeof value === 'number' && value < 1_000)
    report(field, `${value} is ${value} ms; did you mean "${value}s"?`, 'warning')
  return duration.ms
}

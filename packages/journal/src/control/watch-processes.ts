import { messageOf, systemClock, withTimer } from '@curfew/core/internal'
import { readCallsEvent } from './add-call-methods.ts'
import { type ControlClient, connectControl, defaultResponseMs } from './connect-control.ts'
import { type FoundRun, findRuns, type ListProcessesOptions } from './list-processes.ts'
import type { RunningCall } from './running-call.ts'
import { processFromJournal, type RunningProcess } from './running-process.ts'

/** Processes that start or end are noticed this soon; calls of the others at once. */
const refreshMs = 1_000

export interface ProcessWatch {
  /** The processes at the moment. */
  current(): RunningProcess[]
  close(): void
}

/**
 * Follows what `listProcesses` lists. Throws a readable error if the journal of the project cannot be read; later problems are reported once.
 *
 * @param onChange called when something may have changed
 */
export async function watchProcesses(
  options: ListProcessesOptions,
  onChange: () => void,
): Promise<ProcessWatch> {
  const { warn = () => {}, timeoutMs = defaultResponseMs } = options
  const reported = new Set<string>()
  const report = (message: string): void => {
    if (!reported.has(message)) warn(message)
    reported.add(message)
  }
  const watched = new Map<string, WatchedProcess>()

  async function refresh(): Promise<void> {
    const runs = findRuns({ ...options, warn: report })
    const names = new Set(runs.map(({ live }) => live.run.name))
    for (const [name, process] of watched) {
      if (names.has(name)) continue
      process.close()
      watched.delete(name)
    }
    await Promise.all(
      runs.map(async (found) => {
        const { name } = found.live.run
        const process = watched.get(name) ?? new WatchedProcess(onChange)
        watched.set(name, process)
        await process.update(found, timeoutMs)
      }),
    )
  }

  await refresh()
  let isClosed = false
  let timer = setTimeout(next, refreshMs)
  function next(): void {
    refresh()
      .catch((error: unknown) => report(messageOf(error)))
      .then(() => {
        if (isClosed) return
        timer = setTimeout(next, refreshMs)
        onChange()
      })
  }

  return {
    current: () =>
      [...watched.values()]
        .flatMap((process) => process.current() ?? [])
        .sort((one, other) => one.startedAt - other.startedAt),
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const process of watched.values()) process.close()
    },
  }
}

/** One process: what it says, or what the journal knows while it says nothing. */
class WatchedProcess {
  readonly #onChange: () => void
  #client: ControlClient | null = null
  readonly #calls = new Map<string, RunningCall>()
  #omitted = 0
  #hasCalls = false
  #isSilent = false
  #isAsked = false
  #found: FoundRun | null = null
  #isClosed = false

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** `null` while it is not known whether the process responds. */
  current(): RunningProcess | null {
    if (this.#found === null || !this.#isAsked) return null
    const recorded = processFromJournal(this.#found.live)
    if (!this.#hasCalls)
      return recorded.contact === 'unknown' && recorded.calls.length === 0 ? null : recorded
    const contact = this.#isSilent ? 'silent' : 'connected'
    return { ...recorded, contact, calls: [...this.#calls.values()], omitted: this.#omitted }
  }

  /** Resolves when the process has answered, or does not. */
  async update(found: FoundRun, timeoutMs: number): Promise<void> {
    this.#found = found
    if (this.#client === null) await this.#connect(found, timeoutMs)
    else await this.#check(this.#client)
    this.#isAsked = true
  }

  async #connect({ live }: FoundRun, timeoutMs: number): Promise<void> {
    const { socket, name } = live.run
    if (socket === null) return
    const client = await connectControl(socket, { timeoutMs }).catch(() => null)
    if (client === null) return
    if (this.#isClosed) return client.close()
    this.#client = client
    const first = Promise.withResolvers<void>()
    client.stream(
      'watch',
      {},
      {
        onEvent: (event) => {
          if (this.#apply(event, name)) this.#onChange()
          else client.close()
          first.resolve()
        },
        onEnd: () => {
          this.#disconnect(client)
          first.resolve()
        },
      },
    )
    await withTimer(systemClock, timeoutMs, (elapsed) => Promise.race([first.promise, elapsed]))
  }

  close(): void {
    this.#isClosed = true
    this.#client?.close()
  }

  /** A process that is stopped or stuck sends no events, like one in which nothing happens. */
  async #check(client: ControlClient): Promise<void> {
    this.#isSilent = await client.request('hello').then(
      () => false,
      () => true,
    )
  }

  /** Returns false if it is not an event of this process. */
  #apply(value: unknown, name: string): boolean {
    const event = readCallsEvent(value)
    if (event?.run !== name) return false
    for (const call of event.changed) this.#calls.set(call.id, call)
    for (const id of event.ended) this.#calls.delete(id)
    this.#omitted = event.omitted
    this.#hasCalls = true
    return true
  }

  #disconnect(client: ControlClient): void {
    client.close()
    if (this.#client !== client) return
    this.#client = null
    this.#calls.clear()
    this.#hasCalls = false
    // It has probably ended, as the next look at the journal shows.
    this.#isAsked = false
    if (!this.#isClosed) this.#onChange()
  }
}

import type { Adapter, Call } from '../adapter/adapter.ts'
import type { SentResult } from '../host/messages.ts'
import { monotonicMs } from '../tools/record-event.ts'
import { Failed, NotApplicable } from './failed.ts'
import type { HostProcess, Run, Settled } from './host-process.ts'
import type { ScriptedModel } from './scripted-model.ts'

/** How much later than its limit a call may settle, however busy the machine is. */
export const marginMs = 3_000

/** How long a product may take until its model gets a request. */
const requestWithinMs = 20_000

export type CallRequest = readonly [name: string, params?: unknown, id?: string]

/** Calls that were started. */
export interface Started {
  readonly calls: readonly Call[]
  /** Fails if they have not settled in time. */
  settled(withinMs?: number): Promise<Settled>
  cancel(): void
}

export interface Outcome {
  readonly ms: number
  readonly result: SentResult
}

export interface SubjectParts {
  readonly host: HostProcess
  readonly model: ScriptedModel | null
  readonly limitMs: number
  /** The methods that the adapter has. */
  readonly ways: readonly string[]
  readonly commandCall: Adapter['commandCall']
  hasServer(): boolean
  note(name: string, detail: unknown): void
}

/** The product, as a case uses it: through its library, its protocol, or a model that it talks to. */
export class Subject {
  readonly host: HostProcess
  readonly model: ScriptedModel | null
  readonly limitMs: number
  readonly #parts: SubjectParts
  #calls = 0

  constructor(parts: SubjectParts) {
    this.host = parts.host
    this.model = parts.model
    this.limitMs = parts.limitMs
    this.#parts = parts
  }

  /** Whether calls are run by an MCP server, which the product may have to start again. */
  get hasServer(): boolean {
    return this.#parts.hasServer()
  }

  /** Whether calls go through a model, so that the product chooses when they are requested. */
  get isConversation(): boolean {
    return !this.#parts.ways.includes('run')
  }

  /** Starts the calls of one response. */
  start(requests: readonly CallRequest[]): Started {
    if (this.isConversation) return this.startByModel(requests)
    const calls = this.#toCalls(requests)
    return this.#observe(calls, this.host.start(calls))
  }

  /** The model requests the calls, even if the product also takes them from a program. */
  startByModel(requests: readonly CallRequest[]): Started {
    const calls = this.#toCalls(requests)
    return this.#observe(calls, this.#requestByModel(calls))
  }

  /** One call; fails if it does not settle within its limit and a margin. */
  async call(
    name: string,
    params: unknown = {},
    withinMs: number = this.limitMs + marginMs,
  ): Promise<Outcome> {
    const { ms, results, rejected } = await this.start([[name, params]]).settled(withinMs)
    if (rejected !== null) throw new Failed(`${name}: no result; the product rejected with ${rejected}`)
    if (results.length !== 1) throw new Failed(`${name}: expected 1 result, got ${results.length}`)
    return { ms, result: results[0]! }
  }

  startCommand(command: string): Started {
    const call = this.#parts.ways.includes('command')
      ? undefined
      : this.#parts.commandCall?.(command, this.limitMs)
    if (call !== undefined) return this.start([[call.name, call.params]])
    if (!this.#parts.ways.includes('command')) throw new NotApplicable('it runs no shell commands')
    return this.#observe([{ id: 'command', name: 'command', params: command }], this.host.command(command))
  }

  async command(command: string, withinMs: number = this.limitMs + marginMs): Promise<Outcome> {
    const { ms, results, rejected } = await this.startCommand(command).settled(withinMs)
    if (rejected !== null) throw new Failed(`no result; the product rejected with ${rejected}`)
    return { ms, result: results[0]! }
  }

  /** Sends a prompt to a product that talks to a model. */
  prompt(text: string): Started {
    if (!this.#parts.ways.includes('prompt')) throw new NotApplicable('it talks to no model itself')
    return this.#observe([], this.host.prompt(text))
  }

  #toCalls(requests: readonly CallRequest[]): Call[] {
    return requests.map(([name, params = {}, id = `call_${++this.#calls}`]) => ({
      id,
      name,
      params: typeof params === 'string' ? params : JSON.stringify(params),
    }))
  }

  #observe(calls: readonly Call[], run: Run): Started {
    this.#parts.note(
      'started',
      calls.map(({ name, params }) => `${name} ${params.slice(0, 200)}`),
    )
    const settled = run.settled.then((settled) => {
      this.#parts.note('settled', {
        ...settled,
        results: settled.results.map((result) => ({ ...result, text: result.text.slice(0, 400) })),
      })
      return settled
    })
    return {
      calls,
      cancel: run.cancel,
      settled: async (withinMs: number = this.limitMs + marginMs) => {
        // How long the product takes to ask its model is not what the case is about.
        if (run.requested !== undefined)
          await this.#within(Promise.race([run.requested, settled]), calls, requestWithinMs)
        return this.#within(settled, calls, withinMs)
      },
    }
  }

  async #within<T>(settled: Promise<T>, calls: readonly Call[], withinMs: number): Promise<T> {
    const what = calls.length === 1 ? calls[0]!.name : `${calls.length} calls`
    const startMs = monotonicMs()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, withinMs, null)
    })
    const ended = this.#untilHostEnds()
    try {
      const first = await Promise.race([settled, late, ended.promise])
      if (first === null)
        throw new Failed(`${what}: not settled after ${((monotonicMs() - startMs) / 1_000).toFixed(1)} s`)
      if (first === 'ended') throw new Failed(`${what}: the process ended: ${this.host.describeExit()}`)
      return first
    } finally {
      clearTimeout(timer)
      ended.stop()
    }
  }

  #untilHostEnds(): { readonly promise: Promise<'ended'>; stop(): void } {
    let timer: NodeJS.Timeout | undefined
    const promise = new Promise<'ended'>((resolve) => {
      timer = setInterval(() => {
        if (this.host.exit !== null) resolve('ended')
      }, 50)
    })
    return { promise, stop: () => clearInterval(timer) }
  }

  #requestByModel(calls: readonly Call[]): Run {
    let startMs = monotonicMs()
    const requested = Promise.withResolvers<void>()
    const settled = Promise.withResolvers<Settled>()
    this.model!.plan(calls, {
      onRequest(ms) {
        startMs = ms
        requested.resolve()
      },
      onResults: (results, ms) =>
        settled.resolve({ ms: ms - startMs, results: this.#inOrder(calls, results), rejected: null }),
    })
    const { settled: ended, cancel } = this.host.prompt('Use the tools.')
    // Nobody reads the results of a turn that has ended.
    void ended.then(({ ms, rejected }) =>
      settled.resolve({ ms, results: [], rejected: rejected ?? 'the turn ended' }),
    )
    return { requested: requested.promise, settled: settled.promise, cancel }
  }

  /** Google pairs results with calls by their position, and others by their ids. */
  #inOrder(calls: readonly Call[], results: readonly SentResult[]): readonly SentResult[] {
    if (this.model!.setup.format === 'google') return results
    // A product may give a repeated id another one.
    const ids = calls.map(({ id }) => id)
    const position = ({ id }: SentResult): number => (ids.includes(id) ? ids.indexOf(id) : ids.length)
    return results.toSorted((a, b) => position(a) - position(b))
  }
}

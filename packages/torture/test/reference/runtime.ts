import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, Result, Setup, ToolSetup } from '../../src/adapter/adapter.ts'
import { callApi } from './call-api.ts'
import { CallList } from './call-list.ts'
import { McpServer } from './mcp-server.ts'
import { isMutant } from './mutation.ts'
import { type Access, Order } from './order.ts'
import { failure, type Outcome } from './outcome.ts'
import { runCommand } from './run-command.ts'
import { ToolThread } from './tool-thread.ts'
import type { Limits } from './with-limit.ts'

type OnResult = (index: number, result: Result) => void

/** What the model can call. */
export interface Target {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly access: Access
  readonly needsApproval: boolean
  run(params: string, limits: Limits, depth: number): Promise<Outcome>
}

const maxDepth = 10
const free: Access = { readOnly: true, resources: [] }
const noParameters = { type: 'object', properties: {} }

/** Runs calls; each of them gets one result. */
export class Runtime {
  readonly list: CallList
  readonly #setup: Setup
  readonly #thread: ToolThread
  readonly #servers: readonly McpServer[]
  readonly #order = new Order()
  /** The end of the last response. */
  #last: Promise<unknown> = Promise.resolve()
  #cancelled = false

  private constructor(setup: Setup, mutant: string | null) {
    this.#setup = setup
    this.list = new CallList(setup.folder)
    const tools = setup.tools.map(({ name, module, exportName, parameters }) => ({
      name,
      module: module.href,
      exportName,
      parameters,
    }))
    this.#thread = new ToolThread({ tools, mutant, limitMs: setup.limitMs })
    this.#servers = setup.servers.map((server) => new McpServer(server))
  }

  static async start(setup: Setup, mutant: string | null): Promise<Runtime> {
    const runtime = new Runtime(setup, mutant)
    // Loads what the first request would have to wait for.
    if (setup.apis.length > 0) await fetch('data:,')
    await Promise.all([runtime.#thread.ready, ...runtime.#servers.map((server) => server.started())])
    return runtime
  }

  /** Servers may change their tools. */
  get targets(): readonly Target[] {
    const { tools, apis } = this.#setup
    return [
      ...tools.map((tool) => this.#toTarget(tool)),
      ...apis.map(
        (api): Target => ({
          ...api,
          parameters: noParameters,
          access: free,
          needsApproval: false,
          run: (_, limits) => callApi(api, limits),
        }),
      ),
      ...this.#servers.flatMap((server) =>
        server.tools.map(
          (tool): Target => ({
            ...tool,
            name: `${server.setup.name}/${tool.name}`,
            access: free,
            needsApproval: false,
            run: (params, limits) => server.call(limits, tool.name, params),
          }),
        ),
      ),
    ]
  }

  /** The calls of one response. The results are in the order of the calls. */
  run(calls: readonly Call[], signal: AbortSignal, onResult: OnResult = () => {}): Promise<Result[]> {
    const runAll = (): Promise<Result[]> => this.#runAll(calls, signal, onResult)
    const results = isMutant('one-response-at-a-time') ? this.#last.then(runAll) : runAll()
    this.#last = results.catch(() => {})
    return results
  }

  async #runAll(calls: readonly Call[], signal: AbortSignal, onResult: OnResult): Promise<Result[]> {
    if (isMutant('cancel-is-remembered'))
      signal.addEventListener('abort', () => {
        this.#cancelled = true
      })
    const finished: Result[] = []
    const taken = isMutant('at-most-fifty-calls')
      ? calls.slice(0, 50)
      : isMutant('calls-need-an-id')
        ? calls.filter(({ id }) => id)
        : calls
    const running = taken.map(async (call, index) => {
      const outcome = await this.#runOne(call, signal)
      const result = { id: call.id, ...outcome }
      this.#setup.ended(call.id)
      finished.push(result)
      onResult(index, result)
      return result
    })
    const results = await Promise.all(running)
    if (isMutant('results-as-they-come')) return finished
    if (isMutant('results-by-id')) return [...new Map(results.map((result) => [result.id, result])).values()]
    if (isMutant('drops-failed-calls')) return results.filter(({ isError }) => !isError)
    if (isMutant('drops-empty-results')) return results.filter(({ text }) => text !== '(empty)')
    if (isMutant('cancel-drops-results') && signal.aborted)
      return results.filter(({ text }) => !text.includes('cancelled'))
    if (isMutant('one-failure-fails-all') && results.some(({ isError }) => isError))
      return results.map(({ id }) => ({ id, text: 'Error: a call of this response failed', isError: true }))
    return results
  }

  command(command: string, signal: AbortSignal): Promise<Outcome> {
    return runCommand(command, this.#setup.limitMs, signal)
  }

  async close(): Promise<void> {
    this.#thread.close()
    await Promise.all(this.#servers.map((server) => server.close()))
  }

  async #runOne({ id, name, params }: Call, signal: AbortSignal): Promise<Outcome> {
    const target = this.#find(name)
    if (target === undefined) return this.#unknown(name)
    if (this.#cancelled) return failure('the call was cancelled')
    if (isMutant('logs-arguments')) redact(params)
    const report = this.list.add(name)
    report('waiting')
    const place = this.#order.enter(target.access)
    try {
      const isAllowed =
        isMutant('asks-afterwards') || !target.needsApproval || (await this.#ask(target, params, signal))
      if (!isAllowed) {
        report('cancelled')
        return failure(signal.aborted ? 'the call was cancelled' : 'the user did not allow the call')
      }
      await Promise.race([place.turn, isMutant('cancel-misses-waiting-calls') ? place.turn : aborted(signal)])
      if (signal.aborted && !isMutant('cancel-misses-waiting-calls')) {
        report('cancelled')
        return failure('the call was cancelled')
      }
      report('running')
      const outcome = await this.#attempt(target, params, {
        name,
        limitMs: this.#setup.limitMs,
        signal:
          isMutant('cancel-misses-waiting-calls') && signal.aborted ? new AbortController().signal : signal,
        onEnd: () => this.#setup.ended(id),
      })
      if (isMutant('asks-afterwards') && target.needsApproval) await this.#ask(target, params, signal)
      report(signal.aborted ? 'cancelled' : outcome.isError ? 'error' : 'success')
      if (isMutant('prints-results')) process.stdout.write(`${outcome.text}\n`)
      if (isMutant('keeps-results-in-files')) writeFileSync(join(tmpdir(), 'result'), outcome.text)
      return isMutant('takes-results-for-responses') && outcome.text.startsWith('{"tool_calls"')
        ? failure('invalid response')
        : outcome
    } finally {
      place.leave()
    }
  }

  async #attempt(target: Target, params: string, limits: Limits): Promise<Outcome> {
    const outcome = await target.run(params, limits, 0)
    const isRepeated =
      isMutant('retries-failures') && outcome.isError && !/timed out|cancelled/.test(outcome.text)
    return isRepeated || (isMutant('retries-timeouts') && /timed out/.test(outcome.text))
      ? target.run(params, limits, 0)
      : outcome
  }

  #find(name: string): Target | undefined {
    const { targets } = this
    if (isMutant('tools-in-an-object')) {
      const found = Object.fromEntries(targets.map((target) => [target.name, target]))[name]
      // A property of every object is no tool.
      if (found !== undefined) found.parameters.type?.toString()
      return found
    }
    if (isMutant('takes-similar-names'))
      return targets.find((target) => target.name === name.toLowerCase().replaceAll('_', ''))
    return targets.find((target) => target.name === name)
  }

  #unknown(name: string): Outcome {
    if (isMutant('unknown-tools-reject')) throw new Error(`there is no tool ${name}`)
    const names = isMutant('does-not-name-the-tools')
      ? ''
      : `; the tools are ${this.targets.map((target) => target.name).join(', ')}`
    return failure(`there is no tool ${JSON.stringify(name.slice(0, 100))}${names}`)
  }

  /** Without holding up other calls; the clock of the call does not run yet. */
  async #ask({ name }: Target, params: string, signal: AbortSignal): Promise<boolean> {
    const answer = this.#setup.ask(
      name,
      isMutant('shows-the-first-of-equal-keys') ? params.replace(/,\s*"text".*/, '}') : toShown(params),
    )
    if (isMutant('asking-holds-up-others')) this.#holdThread(answer)
    if (isMutant('clock-runs-while-asking'))
      return Promise.race([
        answer,
        new Promise<boolean>((resolve) => setTimeout(resolve, this.#setup.limitMs, false)),
      ])
    if (isMutant('cancel-misses-questions')) return answer
    return Promise.race([answer, aborted(signal).then(() => false)])
  }

  #holdThread(until: Promise<unknown>): void {
    this.#held = until
  }

  #held: Promise<unknown> = Promise.resolve()

  #toTarget(tool: ToolSetup): Target {
    const { name, description, parameters, readOnly, resources, needsApproval } = tool
    return {
      name,
      description,
      parameters,
      access: { readOnly, resources },
      needsApproval,
      run: async (params, limits, depth) => {
        if (isMutant('validates-in-the-main-thread')) matchPatterns(parameters, params)
        if (!needsApproval) await this.#held
        const endMs = performance.now() + limits.limitMs
        return this.#thread.call(limits, params, (nested, nestedParams, signal) => {
          if (depth >= maxDepth && !isMutant('no-depth-limit'))
            return Promise.resolve(failure(`calls are nested more than ${maxDepth} deep`))
          const target = this.#find(nested)
          if (target === undefined) return Promise.resolve(this.#unknown(nested))
          const leftMs = isMutant('nesting-stops-the-clock')
            ? 1_000_000
            : Math.max(1, endMs - performance.now())
          const nestedLimits = { name: nested, limitMs: Math.round(leftMs), signal, onEnd: () => {} }
          return target.run(nestedParams, nestedLimits, depth + 1)
        })
      },
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function toShown(params: string): unknown {
  try {
    return JSON.parse(params)
  } catch {
    return params
  }
}

/** Walks through all levels. */
function redact(params: string): unknown {
  const walk = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? Object.values(value).map(walk) : value
  return walk(toShown(params))
}

function matchPatterns({ properties }: Readonly<Record<string, unknown>>, params: string): void {
  const values = toShown(params) as Record<string, string>
  for (const [key, { pattern }] of Object.entries((properties ?? {}) as Record<string, { pattern?: string }>))
    if (pattern !== undefined) new RegExp(pattern).test(values[key]!)
}

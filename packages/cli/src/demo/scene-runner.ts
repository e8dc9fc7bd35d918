import { setTimeout as sleep } from 'node:timers/promises'
import type { CallResult, Runtime, Tool, ToolCall } from '@curfew/core'
import { callEdges } from '@curfew/core/internal'
import { countProcesses } from './count-processes.ts'
import type { DemoReporter } from './run-demo.ts'
import { type CallReport, type Claim, checkCall, type Expectation } from './scene.ts'

/** One call of a scene, and how it should end. */
export interface DemoCall extends Omit<ToolCall, 'id'> {
  readonly expect: Expectation
  /** @default the tool's name */
  readonly label?: string
  /** The outcome in a few words. */
  readonly summary?: (result: CallResult) => string
}

/** Runs the calls of one scene on a real runtime and checks how each one ended. */
export class SceneRunner {
  readonly runtime: Runtime
  readonly calls: CallReport[] = []
  readonly claims: Claim[] = []
  /** The labels of the calls, in the order in which they ended. */
  readonly endOrder: string[] = []
  /** Processes that outlived their call. */
  survivors = 0
  readonly #reporter: DemoReporter | null
  readonly #signal: AbortSignal
  readonly #scene: number

  constructor(runtime: Runtime, reporter: DemoReporter | null, signal: AbortSignal, scene: number) {
    this.runtime = runtime
    this.#reporter = reporter
    this.#signal = signal
    this.#scene = scene
  }

  use(...tools: readonly Tool[]): void {
    this.runtime.register(...tools)
  }

  async call(call: DemoCall, signal?: AbortSignal): Promise<CallResult> {
    const [result] = await this.batch([call], signal)
    return result!
  }

  /** Runs calls as one batch and reports them in the order of their results. */
  async batch(calls: readonly DemoCall[], signal: AbortSignal = this.#signal): Promise<CallResult[]> {
    const first = this.calls.length + 1
    const requests = calls.map(({ expect: _, label: __, summary: ___, ...call }, index) => ({
      ...call,
      id: `scene-${this.#scene}-call-${first + index}`,
    }))
    const callOf = new Map(requests.map(({ id }, index) => [id, calls[index]!]))
    const elapsed = new Map<string, number>()
    const requestedAt = performance.now()
    const unsubscribe = this.runtime.onTransition(({ id, to, at }) => {
      const call = callOf.get(id)
      if (call === undefined || callEdges[to].length > 0) return
      elapsed.set(id, at - requestedAt)
      this.endOrder.push(labelOf(call))
    })
    const stop = this.#reporter?.running()
    let results: CallResult[]
    try {
      results = await this.runtime.execute(requests, { signal: AbortSignal.any([signal, this.#signal]) })
    } finally {
      stop?.()
      unsubscribe()
    }
    this.#signal.throwIfAborted()
    for (const result of results) this.#show(callOf.get(result.id)!, result, elapsed.get(result.id)!)
    return results
  }

  /** Records a statement about the whole scene. */
  claim(text: string, holds: boolean): void {
    const claim = { text, holds }
    this.claims.push(claim)
    this.#reporter?.claim(claim)
  }

  /** Claims that no process whose arguments include this string is alive. */
  claimNoSurvivors(argument: string): void {
    const survivors = countProcesses(argument)
    this.survivors += survivors
    this.claim(`processes still running: ${survivors}`, survivors === 0)
  }

  async wait(label: string, ms: number): Promise<void> {
    const stop = this.#reporter?.running(label)
    await sleep(ms, undefined, { signal: this.#signal }).finally(stop)
  }

  #show(call: DemoCall, result: CallResult, elapsedMs: number): void {
    const report = {
      label: labelOf(call),
      result,
      elapsedMs,
      summary: (call.summary ?? describeOutcome)(result),
      problems: checkCall(call.expect, result, elapsedMs),
    }
    this.calls.push(report)
    this.#reporter?.call(report)
  }
}

function labelOf({ label, name }: DemoCall): string {
  return label ?? name
}

function describeOutcome(result: CallResult): string {
  if (result.status === 'success') return result.content
  const { code, message, retrySafe, abandoned } = result
  if (code === 'TOOL_FAILED') return `${code}: ${message}`
  if (abandoned) return `${code}, function abandoned`
  return `${code}, ${retrySafe ? 'safe to retry' : 'check before retrying'}`
}

import { setTimeout as sleep } from 'node:timers/promises'
import { type CallResult, callEdges, type Runtime, type Tool, type ToolCall } from '@curfew/core'
import type { Audience } from './audience.ts'
import { checkCall, type Expectation } from './check-call.ts'
import { countProcesses } from './count-processes.ts'
import type { CallReport, Claim } from './scene.ts'

/** One call of a scene, and how it should end. */
export interface Act extends Omit<ToolCall, 'id'> {
  readonly expect: Expectation
  /** @default the tool's name */
  readonly label?: string
  /** The outcome in a few words. */
  readonly words?: (result: CallResult) => string
}

/** Where a scene is played: real calls on a real runtime, each checked against what was expected of it. */
export class Stage {
  readonly runtime: Runtime
  readonly calls: CallReport[] = []
  readonly claims: Claim[] = []
  /** The labels of the calls, in the order in which they ended. */
  readonly ended: string[] = []
  /** Processes that outlived their call. */
  survivors = 0
  readonly #audience: Audience
  readonly #signal: AbortSignal
  readonly #scene: number

  constructor(runtime: Runtime, audience: Audience, signal: AbortSignal, scene: number) {
    this.runtime = runtime
    this.#audience = audience
    this.#signal = signal
    this.#scene = scene
  }

  use(...tools: readonly Tool[]): void {
    this.runtime.register(...tools)
  }

  /** Runs one call. */
  async call(act: Act, signal?: AbortSignal): Promise<CallResult> {
    const [result] = await this.batch([act], signal)
    return result!
  }

  /** Runs calls as one batch and shows how they ended, in the order of their results. */
  async batch(acts: readonly Act[], signal: AbortSignal = this.#signal): Promise<CallResult[]> {
    const first = this.calls.length + 1
    const requests = acts.map(({ expect: _, label: __, words: ___, ...call }, index) => ({
      ...call,
      id: `scene-${this.#scene}-call-${first + index}`,
    }))
    const actOf = new Map(requests.map(({ id }, index) => [id, acts[index]!]))
    const elapsed = new Map<string, number>()
    const askedAt = performance.now()
    const unobserve = this.runtime.onTransition(({ id, to, at }) => {
      const act = actOf.get(id)
      if (act === undefined || callEdges[to].length > 0) return
      elapsed.set(id, at - askedAt)
      this.ended.push(labelOf(act))
    })
    const over = this.#audience.running()
    let results: CallResult[]
    try {
      results = await this.runtime.execute(requests, { signal: AbortSignal.any([signal, this.#signal]) })
    } finally {
      over()
      unobserve()
    }
    this.#signal.throwIfAborted()
    for (const result of results) this.#show(actOf.get(result.id)!, result, elapsed.get(result.id)!)
    return results
  }

  /** States something that is not about one call alone. */
  claim(text: string, holds: boolean): void {
    const claim = { text, holds }
    this.claims.push(claim)
    this.#audience.claim(claim)
  }

  /** Looks for processes with this text among their arguments. */
  claimNoSurvivors(text: string): void {
    const survivors = countProcesses(text)
    this.survivors += survivors
    this.claim(`survivors: ${survivors}`, survivors === 0)
  }

  async wait(label: string, ms: number): Promise<void> {
    const over = this.#audience.running(label)
    await sleep(ms, undefined, { signal: this.#signal }).finally(over)
  }

  #show(act: Act, result: CallResult, elapsedMs: number): void {
    const report = {
      label: labelOf(act),
      result,
      elapsedMs,
      words: (act.words ?? describeOutcome)(result),
      problems: checkCall(act.expect, result, elapsedMs),
    }
    this.calls.push(report)
    this.#audience.call(report)
  }
}

function labelOf({ label, name }: Act): string {
  return label ?? name
}

/** What the model reads, in short. */
function describeOutcome(result: CallResult): string {
  if (result.status === 'success') return result.content
  const { code, message, retrySafe, abandoned } = result
  if (code === 'TOOL_FAILED') return `${code}: ${message}`
  if (abandoned) return `${code}: abandoned, may still run`
  return `${code}: ${retrySafe ? 'safe to try again' : 'check before trying again'}`
}

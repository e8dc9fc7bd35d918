import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { beforeEach, expect } from 'vitest'
import { ModelError } from '../../src/models/model-error.ts'
import { type ModelEvent, type StreamModelOptions, streamModel } from '../../src/models/stream-model.ts'

/** The clock of the current test. */
export let clock: FakeClock

export function resetClock(): void {
  clock = createFakeClock()
}

/** Gives each test of a file its own clock, and checks that it leaves no timer and no rejection behind. */
export function useFakeClock(): void {
  beforeEach(() => {
    resetClock()
    const rejections: unknown[] = []
    const onRejection = (reason: unknown): number => rejections.push(reason)
    process.on('unhandledRejection', onRejection)
    return async () => {
      // Rejections are reported after the microtasks of a turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve, 1))
      process.off('unhandledRejection', onRejection)
      expect(rejections).toEqual([])
      expect(clock.pending).toBe(0)
    }
  })
}

export type Step =
  | LanguageModelV4StreamPart
  | { readonly wait: number }
  | { readonly throw: unknown }
  | 'hang'
  | unknown

export interface Attempt {
  /** Thrown or rejected by `doStream`. */
  readonly fail?: unknown
  readonly failLater?: { readonly ms: number; readonly error: unknown }
  /** Until `doStream` resolves. */
  readonly openAfter?: number
  readonly steps?: readonly Step[]
  /** Ignores the signal and never finishes its cancellation. */
  readonly isStubborn?: boolean
}

interface AttemptsModel extends LanguageModelV4 {
  readonly signals: AbortSignal[]
  cancelled: number
}

export const finish = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: undefined },
    outputTokens: { total: 3, text: 3, reasoning: undefined },
  },
} as const
export const text = (delta: string, id = '1'): LanguageModelV4StreamPart => ({
  type: 'text-delta',
  id,
  delta,
})
export const call = (id: string, name: string, input: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input,
})

export function scriptedAttempts(...attempts: readonly Attempt[]): AttemptsModel {
  let count = 0
  const model: AttemptsModel = {
    specificationVersion: 'v4',
    provider: 'test.chat',
    modelId: 'scripted',
    supportedUrls: {},
    signals: [],
    cancelled: 0,
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream({ abortSignal }) {
      const attempt = attempts[count++]
      if (attempt === undefined) throw new Error('no attempt is left in the script')
      model.signals.push(abortSignal!)
      if (attempt.fail !== undefined) throw attempt.fail
      if (attempt.failLater !== undefined) {
        await sleep(attempt.failLater.ms)
        throw attempt.failLater.error
      }
      if (attempt.openAfter !== undefined) await sleep(attempt.openAfter)
      return { stream: toStream(attempt, model) }
    },
  }
  return model
}

/** On the clock of the current test. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(ms, resolve))
}

function toStream({ steps = [], isStubborn }: Attempt, model: AttemptsModel) {
  const queue = [...steps]
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const step = queue.shift() as { wait?: number; throw?: unknown } | 'hang' | undefined
        if (step === undefined) return controller.close()
        if (step === 'hang') return new Promise(() => {})
        if (step?.wait !== undefined) {
          await sleep(step.wait)
          return this.pull?.(controller)
        }
        if (step !== null && typeof step === 'object' && 'throw' in step) return controller.error(step.throw)
        controller.enqueue(step as unknown as LanguageModelV4StreamPart)
      },
      cancel() {
        model.cancelled++
        return isStubborn ? new Promise(() => {}) : undefined
      },
    },
    { highWaterMark: 0 },
  )
}

export interface Outcome {
  readonly events: ModelEvent[]
  readonly error: ModelError | null
  /** When it ended. */
  readonly at: number
}

export async function run(model: LanguageModelV4, options: StreamModelOptions = {}): Promise<Outcome> {
  const events: ModelEvent[] = []
  try {
    for await (const event of streamModel(model, { prompt: [] }, { clock, random: () => 1, ...options }))
      events.push(event)
    return { events, error: null, at: clock.now() }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    return { events, error, at: clock.now() }
  }
}

export const runToEnd = (...parameters: Parameters<typeof run>): Promise<Outcome> =>
  clock.runUntil(run(...parameters))

export function httpError(statusCode: number, fields: object = {}): Error {
  return Object.assign(new Error(`status ${statusCode}`), { name: 'AI_APICallError', statusCode, ...fields })
}

import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Clock } from '@curfew/core/internal'
import { usage } from './scripted-model.ts'

/** A response that takes its time. */
export interface DelayedResponse {
  readonly firstTokenMs: number
  readonly text: readonly string[]
  readonly betweenMs: number
  /** Names of tools. */
  readonly calls: readonly string[]
  /** `ignores-abort`: sends nothing more and does not react to the signal. */
  readonly ends: 'finish' | 'stall' | 'error' | 'ignores-abort'
}

export interface DelayedModel extends LanguageModelV4 {
  /** From now on, every request is answered at once. */
  answerFromNowOn(): void
}

/** A model that gives these responses in order on a clock, and then answers. */
export function delayedModel(clock: Clock, responses: readonly DelayedResponse[]): DelayedModel {
  const answer: DelayedResponse = {
    firstTokenMs: 0,
    text: ['Done.'],
    betweenMs: 0,
    calls: [],
    ends: 'finish',
  }
  let requests = 0
  let answers = false
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'delayed',
    supportedUrls: {},
    answerFromNowOn: () => {
      answers = true
    },
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream({ abortSignal }) {
      const request = requests++
      const response = answers ? answer : (responses[request] ?? answer)
      const parts = respond(clock, response, request, abortSignal)
      return { stream: ReadableStream.from(parts) as ReadableStream<LanguageModelV4StreamPart> }
    },
  }
}

async function* respond(
  clock: Clock,
  { firstTokenMs, text, betweenMs, calls, ends }: DelayedResponse,
  request: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const reacts = ends !== 'ignores-abort'
  await wait(clock, firstTokenMs, reacts ? signal : undefined)
  yield { type: 'stream-start', warnings: [] }
  if (text.length > 0) yield { type: 'text-start', id: 't' }
  for (const delta of text) {
    await wait(clock, betweenMs, reacts ? signal : undefined)
    yield { type: 'text-delta', id: 't', delta }
  }
  if (text.length > 0) yield { type: 'text-end', id: 't' }
  for (const [index, toolName] of calls.entries())
    yield { type: 'tool-call', toolCallId: `c${request}-${index}`, toolName, input: '{}' }
  if (ends === 'error') throw new Error('connection lost')
  if (ends !== 'finish') await wait(clock, 1e9, reacts ? signal : undefined)
  const unified = calls.length > 0 ? 'tool-calls' : 'stop'
  yield { type: 'finish', usage, finishReason: { unified, raw: unified } }
}

function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, resolve)
    signal?.addEventListener('abort', () => {
      clock.clearTimer(timer)
      reject(signal.reason)
    })
  })
}

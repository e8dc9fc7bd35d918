import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { ToolContext } from '../../src/adapter/adapter.ts'
import { isMutant } from './mutation.ts'
import { failure, type Outcome, success } from './outcome.ts'
import { InvalidArguments, parseArguments } from './parse-arguments.ts'
import type { ThreadData, ThreadReport, ThreadRequest, ThreadTool } from './thread-messages.ts'
import { errorToText, valueToText } from './value-to-text.ts'

interface Running {
  readonly controller: AbortController
  readonly nested: ((outcome: Outcome) => void)[]
  written: string
  chunks: number
}

type Execute = (params: object, context: ToolContext) => unknown

/** At most this much of what a tool writes is kept. */
const maxOutput = 16_000

/** Runs the calls that arrive through a port. */
export async function serveTools({ tools, limitMs }: ThreadData, port: MessagePort): Promise<void> {
  const functions = new Map<string, ThreadTool & { readonly execute: Execute }>()
  for (const tool of tools)
    functions.set(tool.name, { ...tool, execute: (await import(tool.module))[tool.exportName] })
  const running = new Map<number, Running>()
  const send = (report: ThreadReport): void => port.postMessage(report)

  async function run(id: number, name: string, params: string): Promise<Outcome> {
    const call: Running = { controller: new AbortController(), nested: [], written: '', chunks: 0 }
    running.set(id, call)
    const timer = watchClock(id)
    const { parameters, execute } = functions.get(name)!
    let value: unknown
    try {
      const args = parseArguments(params, parameters)
      if (args instanceof InvalidArguments) return failure(`${name}: ${args.message}`)
      value = await settle(execute(args, toContext(id, call)), id)
      if (isMutant('records-arguments-afterwards')) JSON.stringify(args)
    } catch (error) {
      return describeError(error)
    } finally {
      running.delete(id)
      clearInterval(timer)
    }
    if (isMutant('ends-talkative-calls') && call.chunks > 100_000) return failure('it wrote too much')
    if (isMutant('converts-later')) await nextTurn().then(() => nextTurn())
    if (isMutant('output-as-lines')) return { text: `${call.written}\n${valueToText(value)}`, isError: false }
    return isMutant('values-by-json', 'values-uncapped')
      ? { text: valueToText(value), isError: false }
      : success(valueToText(value))
  }

  function toContext(id: number, call: Running): ToolContext {
    return {
      signal: call.controller.signal,
      output(text) {
        call.chunks++
        if (call.written.length >= (isMutant('keeps-all-output') ? 520_000_000 : maxOutput)) return
        call.written += isMutant('output-as-lines') ? `${text}\n` : text
        send({ type: 'output', id, text: isMutant('keeps-all-output') ? text : text.slice(0, maxOutput) })
      },
      progress: () => send({ type: 'progress', id }),
      async call(name, params) {
        const { promise, resolve } = Promise.withResolvers<Outcome>()
        const nested = call.nested.push(resolve) - 1
        send({ type: 'nested', id, nested, name, params: JSON.stringify(params) })
        const { text, isError } = await promise
        if (isError) throw new Error(text)
        return text
      },
    }
  }

  async function settle(value: unknown, id: number): Promise<unknown> {
    if (isMutant('last-outcome-wins')) return lastOutcome(value)
    const settled = await value
    if (!isGenerator(settled)) return settled
    if (isMutant('generators-have-no-limit')) send({ type: 'returned', id })
    const items: string[] = []
    for await (const item of settled) items.push(valueToText(item))
    return items.join('\n')
  }

  /** How the clock must not be read. */
  function watchClock(id: number): NodeJS.Timeout | undefined {
    const end = Date.now() + limitMs
    let ticks = 0
    const isOver = (): boolean => (isMutant('wall-clock') ? Date.now() >= end : ticks++ * 20 >= limitMs)
    if (!isMutant('wall-clock', 'counts-ticks')) return undefined
    return setInterval(() => isOver() && send({ type: 'timeout', id }), 20)
  }

  port.on('message', (request: ThreadRequest) => {
    switch (request.type) {
      case 'call': {
        const { id, name, params } = request
        run(id, name, params).then(
          (outcome) => send({ type: 'outcome', id, outcome }),
          (error) => send({ type: 'broken', id, message: String(error) }),
        )
        return
      }
      case 'abort':
        running.get(request.id)?.controller.abort(new Error('the call has ended'))
        return
      case 'nested-result':
        running.get(request.id)?.nested[request.nested]?.(request.outcome)
        return
      case 'ping':
        return send({ type: 'pong' })
    }
  })
  send({ type: 'ready' })
}

function describeError(error: unknown): Outcome {
  if (isMutant('errors-reject')) throw error
  const text = errorToText(error)
  if (isMutant('errors-by-message', 'errors-by-stack')) return { text, isError: true }
  if (isMutant('errors-uncapped')) return { text: `Error: ${text}`, isError: true }
  if (isMutant('abort-errors-are-cancels') && (error as Error)?.name === 'AbortError')
    return failure('the call was cancelled by the user')
  return failure(text)
}

function isGenerator(value: unknown): value is AsyncIterable<unknown> {
  try {
    return (
      typeof (value as AsyncGenerator)?.[Symbol.asyncIterator] === 'function' &&
      typeof (value as AsyncGenerator).next === 'function'
    )
  } catch {
    return false
  }
}

function lastOutcome(value: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let end = (): void => resolve(value)
    const onResult = (result: unknown): void => {
      end = () => resolve(result)
    }
    const onError = (error: unknown): void => {
      end = () => reject(error)
    }
    try {
      ;(value as Promise<unknown>)?.then?.(onResult, onError)
    } catch (error) {
      onError(error)
    }
    setTimeout(() => end(), 60)
  })
}

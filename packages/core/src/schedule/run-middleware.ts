import { readTraceContext } from '../call/trace-context.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import type { Call } from '../store/call.ts'
import type { Middleware, MiddlewareCall } from '../tool/middleware.ts'
import type { ToolContext } from '../tool/tool-context.ts'

/** Runs the tool's function inside all middleware; the one that was added first is the outermost. */
export function runMiddleware(
  middleware: readonly Middleware[],
  call: Call,
  context: ToolContext,
  execute: () => unknown,
): unknown {
  const described = middlewareCall(call, context)
  const runFrom = async (index: number): Promise<unknown> => {
    const layer = middleware[index]
    if (layer === undefined) return await execute()
    let started = false
    return await layer(described, () => {
      if (started) {
        const message = `${call.name}: middleware called next() twice; a call runs once per attempt`
        return Promise.reject(new CurfewError('INVALID_OPTION', message))
      }
      started = true
      const result = runFrom(index + 1)
      // Middleware that does not wait for it must not cause an unhandled rejection.
      result.catch(() => {})
      return result
    })
  }
  return runFrom(0)
}

function middlewareCall(call: Call, context: Writable<ToolContext>): MiddlewareCall {
  const { batch, tool } = call
  const { uid, meta, signal, deadline, output, progress, log } = context
  const described: Writable<MiddlewareCall> = {
    uid,
    id: call.callId,
    name: call.name,
    params: call.params,
    meta,
    attempt: call.heals + 1,
    adapter: tool!.adapter,
    server: tool!.server ?? null,
    conversation: batch.turn.conversation.id,
    turn: batch.turn.id,
    parentUid: call.parent?.uid ?? null,
    signal,
    deadline,
    output,
    progress,
    log,
    traceContext: context.traceContext,
    setTraceContext(carrier) {
      const traceContext = readTraceContext(carrier)
      if (traceContext === null) return
      call.traceContext = traceContext
      context.traceContext = traceContext
      described.traceContext = traceContext
    },
  }
  return described
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

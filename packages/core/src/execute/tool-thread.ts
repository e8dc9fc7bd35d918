import { Worker } from 'node:worker_threads'
import { CurfewError } from '../errors/curfew-error.ts'
import type { ThreadFunction } from '../tool/tool.ts'
import type { Progress, ToolContext } from '../tool/tool-context.ts'

/** What the thread is started with. */
export interface ThreadInput {
  readonly module: string
  readonly export: string
  readonly params: unknown
  readonly callId: string
  readonly uid: number
  readonly timeoutMs: number
  readonly source: ToolContext['deadline']['source']
}

/** From the thread. A request gets a `reply` with the same number. */
export type ThreadMessage =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown; readonly code: string | null }
  | { readonly type: 'output'; readonly chunk: string | Uint8Array }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'log'; readonly message: string }
  | {
      readonly type: 'request'
      readonly number: number
      readonly method: ThreadRequest
      readonly argument: unknown
    }

export type ThreadRequest = 'ask' | 'secret' | 'execute'

/** To the thread. */
export type ThreadOrder =
  | { readonly type: 'abort'; readonly reason: unknown }
  | {
      readonly type: 'reply'
      readonly number: number
      /** The clock may have stood still meanwhile. */
      readonly remainingMs: number
      readonly value?: unknown
      readonly error?: unknown
    }

export interface ToolThread {
  readonly result: Promise<unknown>
  /** Ends the thread at once, even in the middle of `while (true) {}`. */
  terminate(): void
}

/** Runs an exported function in a thread of its own, with the same context that it would have here. */
export function startToolThread(target: ThreadFunction, params: unknown, context: ToolContext): ToolThread {
  const input: ThreadInput = {
    module: String(target.module),
    export: target.export ?? 'default',
    params,
    callId: context.callId,
    uid: context.uid,
    timeoutMs: context.deadline.timeoutMs,
    source: context.deadline.source,
  }
  const worker = new Worker(new URL('./tool-thread-main.js', import.meta.url), {
    workerData: input,
    // The tool's console belongs to its call, not to the terminal.
    stdout: true,
    stderr: true,
  })
  const send = (order: ThreadOrder): void => worker.postMessage(order)
  const onAbort = (): void => send({ type: 'abort', reason: context.signal.reason })
  context.signal.addEventListener('abort', onAbort, { once: true })
  worker.stdout.on('data', (chunk: Buffer) => context.output(chunk))
  worker.stderr.on('data', (chunk: Buffer) => context.output(chunk))

  const result = new Promise<unknown>((resolve, reject) => {
    worker.on('message', (message: ThreadMessage) => {
      if (message.type === 'returned') resolve(message.value)
      else if (message.type === 'threw') reject(restoreError(message))
      else serve(message, context, send)
    })
    worker.on('error', reject)
    worker.on('messageerror', reject)
    worker.on('exit', (code) =>
      reject(new Error(`the tool's thread exited with code ${code} and left no result`)),
    )
  }).finally(() => {
    context.signal.removeEventListener('abort', onAbort)
    void worker.terminate()
  })
  return { result, terminate: () => void worker.terminate() }
}

function serve(
  message: Exclude<ThreadMessage, { type: 'returned' | 'threw' }>,
  context: ToolContext,
  send: (order: ThreadOrder) => void,
): void {
  switch (message.type) {
    case 'output':
      return context.output(message.chunk)
    case 'progress':
      return context.progress(message.progress)
    case 'log':
      return context.log(message.message)
    case 'request': {
      const { number, method, argument } = message
      const reply = (answer: { value: unknown } | { error: unknown }): void =>
        send({ type: 'reply', number, remainingMs: context.deadline.remainingMs, ...answer })
      context[method](argument as never).then(
        (value) => reply({ value }),
        (error) => reply({ error }),
      )
    }
  }
}

/** A structured clone keeps an error's message and cause, but not the code of our own. */
function restoreError({ error, code }: { error: unknown; code: string | null }): unknown {
  if (code === null || !(error instanceof Error)) return error
  return new CurfewError(code as CurfewError['code'], error.message, { cause: error.cause })
}

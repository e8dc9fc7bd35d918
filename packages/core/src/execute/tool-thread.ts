import { inspect } from 'node:util'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { CurfewError } from '../errors/curfew-error.ts'
import { type CredentialProblem, CredentialRequiredError } from '../secrets/credential-required-error.ts'
import type { ThreadFunction } from '../tool/tool.ts'
import type { Progress, ToolContext } from '../tool/tool-context.ts'

/** What the thread is started with. */
export interface ThreadInput {
  /** Ours alone: a tool may use `parentPort` as it likes. */
  readonly port: MessagePort
  readonly module: string
  readonly export: string
  readonly params: unknown
  /** Output that was sent and not yet read, in characters; a tool that floods has to wait. */
  readonly backlog: Int32Array<SharedArrayBuffer>
  readonly callId: string
  readonly uid: number
  readonly timeoutMs: number
  readonly source: ToolContext['deadline']['source']
}

/** From the thread. A request gets a `reply` with the same number. */
export type ThreadMessage =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: ThreadError }
  | { readonly type: 'output'; readonly chunk: string | Uint8Array }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'log'; readonly message: string }
  | {
      readonly type: 'request'
      readonly number: number
      readonly method: ThreadRequest
      readonly argument: unknown
    }

/** An error on its way between threads: what it carries beside this may not be able to cross. */
export interface ThreadError {
  readonly code: CurfewError['code'] | null
  readonly name: string
  readonly message: string
  /** Of a `CredentialRequiredError`. */
  readonly credential?: CredentialProblem
}

export type ThreadRequest = 'ask' | 'secret' | 'requestSecret' | 'execute'

/** To the thread. */
export type ThreadOrder =
  | { readonly type: 'abort'; readonly error: ThreadError }
  | {
      readonly type: 'reply'
      readonly number: number
      /** The clock may have stood still meanwhile. */
      readonly remainingMs: number
      readonly value?: unknown
      readonly error?: ThreadError
    }

export interface ToolThread {
  readonly result: Promise<unknown>
  /** Ends the thread at once, even in the middle of `while (true) {}`. */
  terminate(): void
}

/** Runs an exported function in a thread of its own, with the same context that it would have here. */
export function startToolThread(target: ThreadFunction, params: unknown, context: ToolContext): ToolThread {
  const backlog = new Int32Array(new SharedArrayBuffer(4))
  const { port1: port, port2 } = new MessageChannel()
  const input: ThreadInput = {
    port: port2,
    module: String(target.module),
    export: target.export ?? 'default',
    params,
    backlog,
    callId: context.callId,
    uid: context.uid,
    timeoutMs: context.deadline.timeoutMs,
    source: context.deadline.source,
  }
  const worker = new Worker(new URL('./tool-thread-main.js', import.meta.url), {
    workerData: input,
    transferList: [port2],
    execArgv: inheritedFlags(process.execArgv),
    // The tool's console belongs to its call, not to the terminal.
    stdout: true,
    stderr: true,
  })
  const send = (order: ThreadOrder): void => port.postMessage(order)
  const onAbort = (): void => send({ type: 'abort', error: packError(context.signal.reason) })
  context.signal.addEventListener('abort', onAbort, { once: true })
  worker.stdout.on('data', (chunk: Buffer) => context.output(chunk))
  worker.stderr.on('data', (chunk: Buffer) => context.output(chunk, 'stderr'))

  const result = new Promise<unknown>((resolve, reject) => {
    port.on('message', (message: ThreadMessage) => {
      if (message.type === 'returned') resolve(message.value)
      else if (message.type === 'threw') reject(unpackError(message.error))
      else serve(message, context, send, backlog)
    })
    worker.on('error', reject)
    port.on('messageerror', reject)
    worker.on('exit', (code) =>
      reject(new CurfewError('WORKER_LOST', `the tool's thread exited with code ${code} and left no result`)),
    )
  }).finally(() => {
    context.signal.removeEventListener('abort', onAbort)
    port.close()
    void worker.terminate()
  })
  return { result, terminate: () => void worker.terminate() }
}

/** Without what belongs to code on the command line: the thread runs a file. */
function inheritedFlags(flags: readonly string[]): string[] {
  const inherited: string[] = []
  for (let at = 0; at < flags.length; at++) {
    const flag = flags[at]!
    if (['-e', '--eval', '-p', '--print'].includes(flag)) at++
    else if (!flag.startsWith('--input-type')) inherited.push(flag)
  }
  return inherited
}

function serve(
  message: Exclude<ThreadMessage, { type: 'returned' | 'threw' }>,
  context: ToolContext,
  send: (order: ThreadOrder) => void,
  backlog: Int32Array<SharedArrayBuffer>,
): void {
  switch (message.type) {
    case 'output':
      Atomics.sub(backlog, 0, message.chunk.length)
      Atomics.notify(backlog, 0)
      return context.output(message.chunk)
    case 'progress':
      return context.progress(message.progress)
    case 'log':
      return context.log(message.message)
    case 'request':
      void answer(message, context, send)
  }
}

async function answer(
  { number, method, argument }: Extract<ThreadMessage, { type: 'request' }>,
  context: ToolContext,
  send: (order: ThreadOrder) => void,
): Promise<void> {
  const reply = (outcome: { value: unknown } | { error: ThreadError }): void =>
    send({ type: 'reply', number, remainingMs: context.deadline.remainingMs, ...outcome })
  try {
    reply({ value: await context[method](argument as never) })
  } catch (error) {
    // Refused, or what came back cannot cross.
    reply({ error: packError(error) })
  }
}

export function packError(error: unknown): ThreadError {
  if (error instanceof CredentialRequiredError) {
    const { code, name, message, key, why, safeToRepeat } = error
    return { code, name, message, credential: { key, why, safeToRepeat } }
  }
  const code = error instanceof CurfewError ? error.code : null
  if (error instanceof Error) return { code, name: error.name, message: error.message }
  return { code, name: 'Error', message: typeof error === 'string' ? error : inspect(error) }
}

export function unpackError({ code, name, message, credential }: ThreadError): Error {
  if (credential !== undefined) return new CredentialRequiredError(message, credential)
  if (code !== null) return new CurfewError(code, message)
  return Object.assign(new Error(message), { name })
}

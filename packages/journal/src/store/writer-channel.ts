import { Worker } from 'node:worker_threads'
import { messageOf } from '@curfew/core/internal'
import type { WriterData, WriterRequest, WriterResponse } from './writer-messages.ts'

/** The way to what writes the records. */
export interface WriterChannel {
  post(request: WriterRequest): void
  /** Call it when the process has nothing else to do than to write what is left. */
  hurry(): void
  /** Whether it keeps the process alive. */
  ref(): void
  unref(): void
  end(): void
}

export interface ChannelEvents {
  onResponse(response: WriterResponse): void
  /** Nothing is written any more. */
  onEnd(problem: string): void
}

/** Throws if no thread can be started. */
export function startThread(data: WriterData, { onResponse, onEnd }: ChannelEvents): WriterChannel {
  const worker = new Worker(new URL('./writer-thread.js', import.meta.url), {
    name: 'curfew journal',
    workerData: data,
    // The flags and variables of the program do not concern it.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
  let isEnded = false
  const end = (problem: string): void => {
    if (!isEnded) onEnd(problem)
    isEnded = true
  }
  worker.on('message', (response: WriterResponse) => {
    if (!isEnded) onResponse(response)
  })
  // Without a listener, an error would end the process.
  worker.on('error', (error) => end(messageOf(error)))
  worker.on('exit', (code) => end(`it exited with code ${code}`))
  worker.unref()
  return {
    post: (request) => worker.postMessage(request),
    hurry: () => {},
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    end() {
      isEnded = true
      worker.unref()
      // Not awaited, because the disk may hang.
      worker.terminate().catch(() => {})
    },
  }
}

/**
 * A thread that is started later. It takes as much processor time as the rest of a short process, so if that ends earlier, what is left is
 * written without a thread: there are no deadlines any more that a slow disk could delay.
 */
export class DelayedThread implements WriterChannel {
  readonly #data: WriterData
  readonly #events: ChannelEvents
  #waiting: WriterRequest[] = []
  #target: Omit<WriterChannel, 'hurry'> | null = null
  #timer: NodeJS.Timeout | null
  #isEnded = false

  constructor(data: WriterData, events: ChannelEvents, delayMs: number) {
    this.#data = data
    this.#events = events
    this.#timer = setTimeout(() => this.#startThread(), delayMs).unref()
  }

  post(request: WriterRequest): void {
    if (this.#target === null) this.#waiting.push(request)
    else this.#target.post(request)
  }

  hurry(): void {
    if (this.#timer === null) return
    this.#stopTimer()
    void this.#writeHere()
  }

  ref(): void {
    this.#target?.ref()
  }

  unref(): void {
    this.#target?.unref()
  }

  end(): void {
    this.#isEnded = true
    this.#stopTimer()
    this.#target?.end()
  }

  #startThread(): void {
    this.#timer = null
    try {
      this.#useTarget(startThread(this.#data, this.#events))
    } catch (error) {
      this.#events.onEnd(messageOf(error))
    }
  }

  async #writeHere(): Promise<void> {
    const { WriterLoop } = await import('./writer-loop.ts')
    if (this.#isEnded) return
    const loop = new WriterLoop(this.#data, {
      // Later, as from a thread: the sender is not prepared for a response while it sends.
      send: (response) => queueMicrotask(() => this.#events.onResponse(response)),
      onEnd: () => {},
    })
    this.#useTarget({
      post: (request) => loop.handle(request),
      ref: () => {},
      unref: () => {},
      end: () => loop.stop(),
    })
  }

  #useTarget(target: Omit<WriterChannel, 'hurry'>): void {
    this.#target = target
    for (const request of this.#waiting.splice(0)) target.post(request)
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}

import { Worker } from 'node:worker_threads'
import { messageOf } from '@curfew/core/internal'
import type { WriterData, WriterRequest, WriterResponse } from './writer-messages.ts'

interface WriterConnectionOptions {
  readonly onResponse: (response: WriterResponse) => void
  /** Called at most once, unless it was stopped before. */
  readonly onEnd: (problem: string) => void
}

/** The thread that writes the journal. It does not keep the process alive, unless `hold` was called. */
export class WriterConnection {
  readonly #worker: Worker
  #isStopped = false

  /** Throws if there can be no thread. */
  constructor(data: WriterData, { onResponse, onEnd }: WriterConnectionOptions) {
    this.#worker = new Worker(new URL('./writer-thread.js', import.meta.url), {
      name: 'curfew journal',
      workerData: data,
      // The flags and variables of the program do not concern it.
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
    })
    const end = (problem: string): void => {
      if (this.#isStopped) return
      this.#isStopped = true
      onEnd(problem)
    }
    this.#worker.on('message', (response: WriterResponse) => {
      if (!this.#isStopped) onResponse(response)
    })
    this.#worker.on('error', (error) => end(messageOf(error)))
    this.#worker.on('exit', (code) => end(`it exited with code ${code}`))
    this.#worker.unref()
  }

  post(request: WriterRequest): void {
    this.#worker.postMessage(request)
  }

  /** Keeps the process alive while something is written. */
  hold(): void {
    this.#worker.ref()
  }

  letGo(): void {
    this.#worker.unref()
  }

  /** Does not wait, because the disk may hang. */
  stop(): void {
    this.#isStopped = true
    this.#worker.unref()
    this.#worker.terminate().catch(() => {})
  }
}

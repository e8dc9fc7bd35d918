import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { FileSearchOptions, SearchRequest, SearchResponse, SearchWork } from './file-searcher.ts'
import type { MatchCollector } from './match-collector.ts'

/** More do not help: the disk and the folders' locks are shared. */
const maxThreads = 4
/** Sent before the response to the last one, so that a thread does not wait. */
const requestsPerThread = 2
const maxWorkPerRequest = 32

/** All files of the root. */
export const wholeRoot: SearchWork = { folder: '', level: null }

/** Lists or searches files, starting with `first`, in threads of this process, which end when it settles. */
export async function searchInThreads(
  options: FileSearchOptions,
  first: SearchWork,
  collector: MatchCollector,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const threadCount = 'files' in first ? 1 : Math.min(availableParallelism(), maxThreads)
  const threads = Array.from({ length: threadCount }, () => startThread(options))
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      distribute(threads, first, collector, resolve, reject)
    })
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

function startThread(workerData: FileSearchOptions): Worker {
  return new Worker(new URL('./search-thread.js', import.meta.url), {
    workerData,
    // The flags and variables of the program do not concern it.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
}

function distribute(
  threads: readonly Worker[],
  first: SearchWork,
  collector: MatchCollector,
  resolve: () => void,
  reject: (error: unknown) => void,
): void {
  const queue = [first]
  const open = new Map(threads.map((thread) => [thread, 0]))

  const sendWork = (): void => {
    for (const [thread, requests] of open) {
      if (queue.length === 0) return
      if (requests === requestsPerThread) continue
      const share = Math.ceil(queue.length / (threads.length * requestsPerThread))
      const work = queue.splice(-Math.min(share, maxWorkPerRequest))
      open.set(thread, requests + 1)
      thread.postMessage({ work, cutoff: collector.cutoff } satisfies SearchRequest)
    }
  }

  const onResponse = (thread: Worker, { work, found }: SearchResponse): void => {
    for (const file of found) if (collector.accepts(file.path)) collector.add(file)
    for (const item of work) queue.push(item)
    open.set(thread, open.get(thread)! - 1)
    sendWork()
    if ([...open.values()].every((requests) => requests === 0)) resolve()
  }

  for (const thread of threads) {
    thread.on('message', (response: SearchResponse) => {
      try {
        onResponse(thread, response)
      } catch (error) {
        // Thrown here, it would end the process.
        reject(error)
      }
    })
    thread.on('error', (error) => reject(lost(messageOf(error))))
    thread.on('exit', (code) => reject(lost(`it exited with code ${code}`)))
  }
  sendWork()
}

function lost(problem: string): CurfewError {
  return new CurfewError('WORKER_LOST', `a thread that searches files was lost: ${problem}`)
}

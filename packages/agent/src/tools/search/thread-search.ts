import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { MatchCollector } from './match-collector.ts'
import type { SearchRequest, SearchResponse, SearchThreadInput, SearchWork } from './search-thread.ts'

/** More do not help: the disk and the folders' locks are shared. */
const maxThreads = 4
/** Sent before the response to the last one, so that a thread does not wait. */
const requestsPerThread = 2
const maxWorkPerRequest = 32

/** Lists or searches files in threads of this process, which end when it settles. */
export async function searchInThreads(
  input: SearchThreadInput,
  collector: MatchCollector,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const { file } = input
  const threadCount = file === null ? Math.min(availableParallelism(), maxThreads) : 1
  const threads = Array.from({ length: threadCount }, () => startThread(input))
  const first: SearchWork = file === null ? { folder: '', level: null } : { files: [file] }
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      distribute(threads, first, collector, resolve, reject)
    })
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}

function startThread(workerData: SearchThreadInput): Worker {
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

  for (const thread of threads) {
    thread.on('message', ({ work, found }: SearchResponse) => {
      for (const file of found) if (collector.accepts(file.path)) collector.add(file)
      queue.push(...work)
      open.set(thread, open.get(thread)! - 1)
      sendWork()
      if ([...open.values()].every((requests) => requests === 0)) resolve()
    })
    thread.on('error', (error) => reject(lost(messageOf(error))))
    thread.on('exit', (code) => reject(lost(`it exited with code ${code}`)))
  }
  sendWork()
}

function lost(problem: string): CurfewError {
  return new CurfewError('WORKER_LOST', `a thread that searches files was lost: ${problem}`)
}

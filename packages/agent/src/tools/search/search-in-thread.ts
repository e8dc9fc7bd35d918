import { Worker } from 'node:worker_threads'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { FileSearchOptions } from './file-searcher.ts'
import type { FoundFile } from './found-line.ts'
import type { MatchCollector } from './match-collector.ts'

/** Lists or searches files in a thread of this process, which ends when it settles: no pattern can block the process. */
export async function searchInThread(
  options: FileSearchOptions,
  collector: MatchCollector,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const thread = new Worker(new URL('./search-thread.js', import.meta.url), {
    workerData: options,
    // The flags and variables of the program do not concern it.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  })
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      thread.on('message', (found: readonly FoundFile[] | null) => {
        if (found === null) return resolve()
        try {
          for (const file of found) if (collector.accepts(file.path)) collector.add(file)
          thread.postMessage(collector.cutoff)
        } catch (error) {
          // Thrown here, it would end the process.
          reject(error)
        }
      })
      thread.on('error', (error) => reject(lost(messageOf(error))))
      thread.on('exit', (code) => reject(lost(`it exited with code ${code}`)))
      thread.postMessage(null)
    })
  } finally {
    await thread.terminate()
  }
}

function lost(problem: string): CurfewError {
  return new CurfewError('WORKER_LOST', `the thread that searches files was lost: ${problem}`)
}

import { access } from 'node:fs/promises'
import type { Conversation } from '@curfew/core'
import { abortable, type Clock } from '@curfew/core/internal'
import type { HistoryResult } from '../history/history-item.ts'

/** For all results of one reduction. A disk that does not respond must not stop the conversation. */
const maxSavingMs = 10_000

export interface ResultSaver {
  /** Writes the complete text of a result to a file, unless it is in one. Resolves to `null` if that is not possible in time. */
  save(result: HistoryResult): Promise<string | null>
  /** Call it when everything is saved. */
  close(): void
}

export function createResultSaver(
  conversation: Pick<Conversation, 'saveText'>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): ResultSaver {
  const controller = new AbortController()
  const stop = (): void => controller.abort()
  const timer = clock.setTimer(maxSavingMs, stop)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })

  async function write({ name, content, spillPath }: HistoryResult): Promise<string> {
    if (spillPath !== undefined && (await exists(spillPath))) return spillPath
    return await conversation.saveText(name, content, { signal: controller.signal })
  }

  return {
    async save(result) {
      if (controller.signal.aborted) return null
      return await abortable(write(result), controller.signal).catch(() => null)
    },
    close() {
      clock.clearTimer(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

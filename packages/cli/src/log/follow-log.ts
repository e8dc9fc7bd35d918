import { setTimeout as sleep } from 'node:timers/promises'
import type { JournalFollower } from '@curfew/journal'
import { outputClosed, outputDrained, write } from '../write.ts'
import type { FormatCalls } from './run-log.ts'

/** A look at a file that has not changed costs two system calls. */
const pauseMs = 250

/** Prints the newest calls, then each call when it ends, until the output is closed or the process is interrupted. */
export async function followLog(
  follower: JournalFollower,
  limit: number,
  format: FormatCalls,
): Promise<number> {
  for (let calls = follower.first(limit); !outputClosed.aborted; calls = follower.next()) {
    if (calls.length > 0 && !write(format(calls))) await outputDrained(outputClosed)
    await sleep(pauseMs, undefined, { signal: outputClosed }).catch(() => {})
  }
  return 0
}

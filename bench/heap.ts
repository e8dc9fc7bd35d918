import { setImmediate as nextTurn } from 'node:timers/promises'

/** What is really held, in megabytes. Needs `--expose-gc`. */
export async function heapAfterGc(): Promise<number> {
  // Some objects are let go of only when a turn of the event loop ends, or by a second collection.
  for (let pass = 0; pass < 2; pass++) {
    await nextTurn()
    globalThis.gc!()
  }
  return process.memoryUsage().heapUsed / 1_000_000
}

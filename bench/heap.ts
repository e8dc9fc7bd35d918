import { setImmediate as nextTurn } from 'node:timers/promises'

/** The live heap in megabytes. Requires `--expose-gc`. */
export async function heapAfterGc(): Promise<number> {
  // Some objects are released only at the end of an event loop turn, or by a second collection.
  for (let pass = 0; pass < 2; pass++) {
    await nextTurn()
    globalThis.gc!()
  }
  return process.memoryUsage().heapUsed / 1_000_000
}

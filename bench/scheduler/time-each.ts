const warmUpMs = 300

/** Milliseconds of each of so many warmed runs. Whatever `prepare` does is not counted. */
export async function timeEach(repeat: number, prepare: () => () => Promise<unknown>): Promise<number[]> {
  // A process that stood still has a small heap again: it needs its first runs to grow back.
  for (const warm = performance.now() + warmUpMs; performance.now() < warm; ) await prepare()()
  const times: number[] = []
  for (let round = 0; round < repeat; round++) {
    const run = prepare()
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return times
}

/** Both sides can do these. */
export interface SchedulerTasks {
  /** Milliseconds of each of so many batches of so many calls. */
  batches(size: number, repeat: number): Promise<number[]>
  /** Milliseconds for so many calls, each after the end of the one before. */
  oneAtATime(count: number): Promise<number>
}

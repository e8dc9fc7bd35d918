const warmUpMs = 300

/** The milliseconds of each warm run, without `prepare`. */
export async function timeEach(repeat: number, prepare: () => () => Promise<unknown>): Promise<number[]> {
  // The heap of an idle process has shrunk and grows back in the first runs.
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

/** The tasks of both sides. */
export interface SchedulerTasks {
  /** The milliseconds of each batch. */
  batches(size: number, repeat: number): Promise<number[]>
  /** The milliseconds for sequential calls. */
  oneAtATime(count: number): Promise<number>
}

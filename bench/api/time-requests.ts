/** The tasks of both sides. */
export interface RequestTasks {
  /** Runs rounds of requests. */
  rounds(size: number, repeat: number): Promise<Round[]>
}

export interface Round {
  /** Wall-clock milliseconds. */
  readonly wall: number
  /** CPU milliseconds of this process. */
  readonly cpu: number
}

export async function timeRequests(repeat: number, run: () => Promise<void>): Promise<Round[]> {
  // A process that was idle needs a warm-up round.
  await run()
  const rounds: Round[] = []
  for (let round = 0; round < repeat; round++) {
    const [start, before] = [performance.now(), process.cpuUsage()]
    await run()
    const { user, system } = process.cpuUsage(before)
    rounds.push({ wall: performance.now() - start, cpu: (user + system) / 1_000 })
  }
  return rounds
}

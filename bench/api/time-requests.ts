/** What each side can do. */
export interface RequestTasks {
  /** So many rounds of so many requests. */
  rounds(size: number, repeat: number): Promise<Round[]>
}

export interface Round {
  /** Milliseconds by the clock. */
  readonly wall: number
  /** Milliseconds of this process's own work. */
  readonly cpu: number
}

export async function timeRequests(repeat: number, run: () => Promise<void>): Promise<Round[]> {
  // A process that stood still needs a round to be itself again.
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

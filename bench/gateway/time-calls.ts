import { networkInterfaces } from 'node:os'
import { serve } from '../side.ts'
import { type McpSide, type SideName, startSides } from './sides.ts'
import { within } from './wire.ts'

/** The client of all sides, in its own process. */
export interface GatewayTasks {
  /** Starts the sides; returns the network interfaces that they can use. */
  start(home: string): Promise<string[]>
  /** Gives each side a turn; returns the milliseconds of its calls. */
  round(first: number, concurrency: number, calls: number): Promise<Times>
}

export type Times = Readonly<Record<SideName, readonly number[]>>

const timeoutMs = 120_000
let sides: McpSide[] = []
let sequence = 0

// The sides exit together with this process.
process.once('SIGTERM', () => process.exit(1))

serve<GatewayTasks>({
  async start(home) {
    sides = await startSides(home)
    return Object.keys(networkInterfaces())
  },
  async round(first, concurrency, calls) {
    const times: Partial<Record<SideName, number[]>> = {}
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(first + turn) % sides.length]!
      // A process that was idle needs some warm-up calls.
      await within(timeoutMs, timeCalls(side, concurrency, 200))
      times[side.name] = await within(timeoutMs, timeCalls(side, concurrency, calls))
    }
    return times as Times
  },
})

async function timeCalls({ echo }: McpSide, concurrency: number, calls: number): Promise<number[]> {
  const times: number[] = []
  let left = calls
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const message = `call ${++sequence}`
      const start = performance.now()
      await echo(message)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return times
}

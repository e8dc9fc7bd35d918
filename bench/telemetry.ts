import type { Findings } from './report.ts'
import { Side } from './side.ts'
import { median } from './statistics.ts'
import type { TelemetryTasks } from './telemetry/traced-calls.ts'

const calls = 1_000
const repeat = 20
const rounds = 3

/** The CPU time that a span and a metric add to a call, in alternating processes, and that of the SDK alone. */
export async function measureTelemetry(): Promise<Findings> {
  const module = new URL('./telemetry/traced-calls.ts', import.meta.url)
  const plain = await Side.start<TelemetryTasks>(module)
  const traced = await Side.start<TelemetryTasks>(module, { args: ['--trace'] })
  const off: number[] = []
  const on: number[] = []
  const bare: number[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      off.push(...(await plain.ask('batches', calls, repeat)))
      on.push(...(await traced.ask('batches', calls, repeat)))
      bare.push(...(await traced.ask('bareSpans', calls, repeat)))
    }
  } finally {
    for (const side of [plain, traced]) side.stop()
  }
  const perCall = (times: readonly number[]): number => median(times) / calls
  return {
    targets: [{ name: 'added per call', figure: perCall(on) - perCall(off), unit: 'µs', atMost: 25 }],
    information: [
      { name: 'a call without spans', figure: perCall(off), unit: 'µs' },
      { name: 'a call with a span and a metric', figure: perCall(on), unit: 'µs' },
      { name: 'a span and a metric of the SDK alone', figure: perCall(bare), unit: 'µs' },
    ],
  }
}

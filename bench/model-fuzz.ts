import { runWireFuzz, type WireFuzzCounts } from '../packages/agent/test/fuzz/run-wire-fuzz.ts'
import { readFuzzOptions } from './fuzz-options.ts'
import type { Findings } from './report.ts'

/** Runs agents against hostile model servers. `--seconds N` sets the duration, `--seed N` the responses. */
export async function measureModelFuzz(args: readonly string[]): Promise<Findings> {
  const { seconds, seed } = readFuzzOptions(args)
  const end = performance.now() + seconds * 1_000
  let failure: string | null = null
  let counts: WireFuzzCounts = { conversations: 0, responses: 0, reasons: {}, peakMb: 0 }
  try {
    counts = await runWireFuzz({
      seed,
      shouldContinue: (now) => {
        counts = now
        return performance.now() < end
      },
    })
  } catch (error) {
    failure = String(error)
  }
  return {
    targets: [
      { name: 'failures', figure: failure === null ? 0 : 1, unit: '', atMost: 0 },
      { name: 'peak memory', figure: counts.peakMb, unit: 'MB', atMost: 1_500 },
    ],
    information: [
      { name: 'conversations', figure: counts.conversations, unit: '' },
      { name: 'hostile responses', figure: counts.responses, unit: '' },
      ...Object.entries(counts.reasons).map(([reason, figure]) => ({
        name: `prompts that ended with ${reason}`,
        figure,
        unit: '' as const,
      })),
    ],
    notes: [`seed ${seed}, ${seconds} s`, ...(failure === null ? [] : [failure])],
  }
}

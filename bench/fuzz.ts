import { type FuzzCounts, runFuzz } from '../packages/mcp/test/fuzz/run-fuzz.ts'
import { readFuzzOptions } from './fuzz-options.ts'
import type { Findings } from './report.ts'

/** Sends mutated JSON-RPC to the gateway, from clients and from servers. `--seconds N` sets the duration, `--seed N` the mutations. */
export async function measureFuzz(args: readonly string[]): Promise<Findings> {
  const { seconds, seed } = readFuzzOptions(args)
  const end = performance.now() + seconds * 1_000
  let deaths = 0
  let failure: string | null = null
  let counts: FuzzCounts | null = null
  try {
    await runFuzz({
      seed,
      shouldContinue: (now) => {
        counts = now
        return performance.now() < end
      },
    })
  } catch (error) {
    failure = String(error)
    deaths = /ended: true/.test(failure) ? 1 : 0
  }
  const {
    messages,
    fromClientOverStdio,
    fromClientOverHttp,
    fromServers,
    openings,
    answered,
    rejected,
    probes,
    peakMb,
  } = counts ?? noCounts
  return {
    targets: [
      { name: 'gateways that exited', figure: deaths, unit: '', atMost: 0 },
      { name: 'other failures', figure: failure === null ? 0 : 1 - deaths, unit: '', atMost: 0 },
      { name: 'peak memory of a gateway', figure: peakMb, unit: 'MB', atMost: 800 },
    ],
    information: [
      { name: 'mutated messages', figure: messages, unit: '' },
      { name: 'from a client over stdio', figure: fromClientOverStdio, unit: '' },
      { name: 'from clients over HTTP', figure: fromClientOverHttp, unit: '' },
      { name: 'from servers over stdio and HTTP', figure: fromServers, unit: '' },
      { name: 'servers with a mutated handshake', figure: openings, unit: '' },
      { name: 'requests answered exactly once', figure: answered, unit: '' },
      { name: 'messages from the stdio client that were rejected', figure: rejected, unit: '' },
      { name: 'valid calls, all answered correctly', figure: probes, unit: '' },
    ],
    notes: [`seed ${seed}, ${seconds} s`, ...(failure === null ? [] : [failure])],
  }
}

const noCounts: FuzzCounts = {
  fromClientOverStdio: 0,
  fromClientOverHttp: 0,
  fromServers: 0,
  openings: 0,
  messages: 0,
  answered: 0,
  rejected: 0,
  probes: 0,
  peakMb: 0,
}

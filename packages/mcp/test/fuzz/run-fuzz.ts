import { fileURLToPath } from 'node:url'
import { createHome, type Home } from '../helpers/gateway.ts'
import { peakMemory } from '../helpers/processes.ts'
import { HttpSide } from './http-side.ts'
import { Openings } from './openings.ts'
import { Random } from './random.ts'
import { type RemoteFuzzServer, startRemoteFuzzServer } from './remote-fuzz-server.ts'
import { StdioSide } from './stdio-side.ts'

export interface FuzzOptions {
  readonly seed: number
  /** Told after each round; false ends it. */
  readonly goesOn: (counts: FuzzCounts) => boolean
}

export interface FuzzCounts {
  /** Mutated messages by who sent them. */
  readonly fromClientOverStdio: number
  readonly fromClientOverHttp: number
  readonly fromServers: number
  readonly openings: number
  readonly messages: number
  /** Requests that were answered, once each, with a result or an error. */
  readonly answered: number
  /** Messages that were refused because they are none. */
  readonly refused: number
  /** Honest calls in between, all of them answered correctly. */
  readonly probes: number
  /** The most memory that one of the gateways ever had. */
  readonly peakMb: number
}

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const messagesPerRound = 20

/**
 * Sends mutated JSON-RPC to the gateway from both sides: from clients over stdio and HTTP, and from servers. Rejects, naming
 * the seed and the round, if a gateway ends, a request is not answered exactly once, or an honest call notices anything.
 */
export async function runFuzz({ seed, goesOn }: FuzzOptions): Promise<FuzzCounts> {
  const remote = await startRemoteFuzzServer()
  try {
    await using stdioHome = await fuzzHome(remote)
    await using httpHome = await fuzzHome(remote)
    const stdio = new StdioSide(stdioHome, new Random(seed))
    const http = new HttpSide(httpHome)
    const openings = await Openings.open(remote)
    const gateways = [stdio.client, http.gateway]
    const counts = (): FuzzCounts => countsOf(stdio, http, openings)
    let round = 0
    try {
      await Promise.all([stdio.open(), http.open()])
      do {
        const random = new Random(seed + ++round)
        await stdio.round(random, messagesPerRound)
        await http.round(random, messagesPerRound)
        if (round % 5 === 0) await openings.round(random)
        const ended = gateways.find(({ hasEnded }) => hasEnded)
        if (ended !== undefined) throw new Error('a gateway has ended')
      } while (goesOn(counts()))
      return counts()
    } catch (error) {
      const said = gateways.map(
        ({ hasEnded, stderr }) => `ended: ${hasEnded}; it printed:\n${stderr.slice(-2_000)}`,
      )
      throw new Error(`fuzz: seed ${seed}, round ${round}: ${String(error)}\n${said.join('\n')}`, {
        cause: error,
      })
    } finally {
      http.gateway.process.kill()
      await Promise.all([stdio.client.close(), http.gateway.close(), openings.close()])
    }
  } finally {
    remote.close()
  }
}

function fuzzHome(remote: RemoteFuzzServer): Promise<Home> {
  const server = (path: string, ...args: readonly string[]): object => ({
    command: process.execPath,
    args: [program(path), ...args],
  })
  const config = {
    limits: { callsPerTurn: 1e9 },
    breaker: { maxCallsPerWindow: 1e9, failures: 1e9 },
    loops: false,
  }
  return createHome(
    ({ tag }) => ({
      honest: server('../fixtures/hostile/hostile-server.ts', 'healthy', '', tag),
      fuzz: { ...server('fuzz-server.ts', tag), timeout: 20_000 },
      remote: { url: remote.url, timeout: 20_000 },
    }),
    config,
  )
}

function countsOf(stdio: StdioSide, http: HttpSide, openings: Openings): FuzzCounts {
  const { fromClient, fromServers, ledger, client } = stdio
  const memories = [client, http.gateway].map(({ pid, hasEnded }) => (hasEnded ? 0 : peakMemory(pid)))
  return {
    fromClientOverStdio: fromClient,
    fromClientOverHttp: http.fromClient,
    fromServers,
    openings: openings.count,
    messages: fromClient + http.fromClient + fromServers + openings.count,
    answered: ledger.answered + http.answered,
    refused: ledger.refused,
    probes: stdio.probes + http.probes,
    peakMb: Math.round(Math.max(...memories)),
  }
}

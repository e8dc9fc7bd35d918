import { fileURLToPath } from 'node:url'
import { peakMemory } from '../../../../test/support/processes.ts'
import { Random } from '../../../../test/support/random.ts'
import { createHome, type Home } from '../helpers/gateway.ts'
import { HttpSide } from './http-side.ts'
import { Openings } from './openings.ts'
import { type RemoteFuzzServer, startRemoteFuzzServer } from './remote-fuzz-server.ts'
import { StdioSide } from './stdio-side.ts'

export interface FuzzOptions {
  readonly seed: number
  /** Called after each round; false ends the run. */
  readonly shouldContinue: (counts: FuzzCounts) => boolean
}

export interface FuzzCounts {
  /** Mutated messages by sender. */
  readonly fromClientOverStdio: number
  readonly fromClientOverHttp: number
  readonly fromServers: number
  readonly openings: number
  readonly messages: number
  /** Requests that were answered, once each, with a result or an error. */
  readonly answered: number
  /** Messages that were rejected as invalid. */
  readonly rejected: number
  /** Valid calls in between, all of them answered correctly. */
  readonly probes: number
  /** The peak memory of any gateway. */
  readonly peakMb: number
}

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const messagesPerRound = 20

/**
 * Sends mutated JSON-RPC to the gateway from both sides: from clients over stdio and HTTP, and from servers. Rejects, naming
 * the seed and the round, if a gateway exits, a request is not answered exactly once, or a valid call is affected.
 */
export async function runFuzz({ seed, shouldContinue }: FuzzOptions): Promise<FuzzCounts> {
  const remote = await startRemoteFuzzServer()
  await using homes = new AsyncDisposableStack()
  homes.defer(() => remote.close())
  const newHome = async (): Promise<Home> => homes.use(await fuzzHome(remote))
  const sides: Sides = {
    stdio: [new StdioSide(await newHome(), 'legacy'), new StdioSide(await newHome(), 'modern')],
    http: new HttpSide(await newHome()),
    openings: await Openings.open(remote),
  }
  const gateways = [...sides.stdio.map(({ client }) => client), sides.http.gateway]
  let round = 0
  try {
    await Promise.all([...sides.stdio, sides.http].map((side) => side.open()))
    do {
      const random = new Random(seed + ++round)
      for (const side of [...sides.stdio, sides.http]) await side.round(random, messagesPerRound)
      if (round % 5 === 0) await sides.openings.round(random)
      if (gateways.some(({ hasEnded }) => hasEnded)) throw new Error('a gateway has exited')
    } while (shouldContinue(countsOf(sides)))
    return countsOf(sides)
  } catch (error) {
    const outputs = gateways.map(
      ({ hasEnded, stderr }) => `exited: ${hasEnded}; it printed:\n${stderr.slice(-2_000)}`,
    )
    const message = `fuzz: seed ${seed}, round ${round}: ${String(error)}\n${outputs.join('\n')}`
    throw new Error(message, { cause: error })
  } finally {
    sides.http.gateway.process.kill()
    await Promise.all([...gateways.map((gateway) => gateway.close()), sides.openings.close()])
  }
}

interface Sides {
  readonly stdio: readonly StdioSide[]
  readonly http: HttpSide
  readonly openings: Openings
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

function countsOf({ stdio, http, openings }: Sides): FuzzCounts {
  const sum = (count: (side: StdioSide) => number): number =>
    stdio.reduce((total, side) => total + count(side), 0)
  const gateways = [...stdio.map(({ client }) => client), http.gateway]
  const memories = gateways.map(({ pid, hasEnded }) => (hasEnded ? 0 : peakMemory(pid)))
  const fromClientOverStdio = sum(({ fromClient }) => fromClient)
  const fromServers = sum((side) => side.fromServers)
  return {
    fromClientOverStdio,
    fromClientOverHttp: http.fromClient,
    fromServers,
    openings: openings.count,
    messages: fromClientOverStdio + http.fromClient + fromServers + openings.count,
    answered: sum(({ ledger }) => ledger.answered) + http.answered,
    rejected: sum(({ ledger }) => ledger.rejected),
    probes: sum(({ probes }) => probes) + http.probes,
    peakMb: Math.round(Math.max(...memories)),
  }
}

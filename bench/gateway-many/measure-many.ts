import { readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../gateway/client.ts'
import { startCurfew } from '../gateway/start-curfew.ts'
import { startMcpHub } from '../gateway/start-peers.ts'
import { residentMegabytes } from '../processes/memory.ts'
import { serve } from '../side.ts'
import { sum } from '../statistics.ts'
import { pssMegabytes } from '../ui/process-usage.ts'
import { manyServers } from './many-servers.ts'

export type ManySide = 'curfew' | 'mcp-hub'

export interface ManyFigures {
  /** From the start of the gateway to the response to the first `tools/list`. */
  readonly firstMs: number
  /** The number of tools in it. */
  readonly firstTools: number
  /** To the first response with tools of all servers. */
  readonly completeMs: number
  readonly tools: number
  readonly processes: number
  /** Of all processes. */
  readonly pssMb: number
  /** Of the gateway's own process. */
  readonly rssMb: number
}

/** Runs one gateway in front of all servers. */
export interface ManyTasks {
  measure(side: ManySide, home: string): Promise<ManyFigures>
}

const giveUpMs = 180_000
/** Longer than the gateway keeps a server that was only started for a list. */
const idleMs = 20_000

// The gateway exits together with this process.
process.once('SIGTERM', () => process.exit(1))

serve<ManyTasks>({
  async measure(side, home) {
    await mkdir(home, { recursive: true })
    const servers = manyServers(home)
    const start = performance.now()
    const client = await (side === 'curfew' ? startCurfew(home, servers, []) : startMcpHub(home, servers))
    const names = Object.keys(servers)
    let tools = await listTools(client)
    const firstMs = performance.now() - start
    const firstTools = tools.length
    while (!names.every((name) => tools.some((tool) => tool.includes(`${name}__`)))) {
      if (performance.now() - start > giveUpMs) throw new Error(`the list of ${side} stays incomplete`)
      await sleep(50)
      tools = await listTools(client)
    }
    const completeMs = performance.now() - start
    await sleep(idleMs)
    const [gateway, ...others] = processesOf(home)
    const pids = [gateway!, ...others]
    return {
      firstMs,
      firstTools,
      completeMs,
      tools: tools.length,
      processes: pids.length,
      pssMb: sum(pids.map(pssMegabytes)),
      rssMb: residentMegabytes(gateway!),
    }
  },
})

async function listTools(client: Client): Promise<string[]> {
  const { tools } = (await client.request('tools/list', {})) as { tools: readonly { name: string }[] }
  return tools.map(({ name }) => name)
}

/** All processes with this home directory, except this one; the gateway is the oldest. */
function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isIn(pid, home))
    .sort((a, b) => a - b)
}

function isIn(pid: number, home: string): boolean {
  try {
    const isZombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return !isZombie && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
  } catch {
    return false
  }
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../../packages/torture/src/model-server/start-model-server.ts'
import type { Findings } from '../report.ts'
import { pssMegabytes } from './process-usage.ts'
import { openTerminalAgent } from './terminal-agent.ts'

const calls = 10_000
const callsPerBatch = 200
/** V8 returns memory when a process has been idle for a while. */
const idleMs = 25_000
const settleMs = 2_000
const scrolledMs = 5_000
const keyMs = 10
/** The last call is selected first. */
const up = '\x1b[A'

/** Memory after many calls in one conversation, and scrolling through the list of them. */
export async function measureTerminalCalls(): Promise<Findings> {
  const { terminal, home, close } = await openTerminalAgent(batches, [
    '--set',
    `limits.callsPerTurn=${2 * calls}`,
  ])
  try {
    writeFileSync(join(home, 'note.txt'), 'One line.\n')
    terminal.type('Go\r')
    await terminal.shows(/All calls have ended/, 300_000)
    await delay(settleMs)
    const busyMegabytes = pssMegabytes(terminal.pid)
    await delay(idleMs)
    const megabytes = pssMegabytes(terminal.pid)
    terminal.forget()
    terminal.type('/calls\r')
    await terminal.shows(/Calls\D+\d+/)
    await delay(settleMs)
    terminal.forget()
    const start = performance.now()
    while (performance.now() - start < scrolledMs) {
      terminal.type(up)
      await delay(keyMs)
    }
    const seconds = (performance.now() - start) / 1_000
    const { frames, bytes } = terminal
    return {
      targets: [
        {
          name: `memory (PSS) after ${calls} finished calls`,
          figure: megabytes,
          unit: 'MB',
          atMost: 150,
        },
        { name: 'scrolling through /calls', figure: frames / seconds, unit: 'frames/s', atLeast: 30 },
      ],
      information: [
        { name: 'memory (PSS) right after the last of them', figure: busyMegabytes, unit: 'MB' },
        { name: 'written per frame while scrolling', figure: bytes / frames, unit: 'bytes' },
      ],
      notes: [
        `memory is measured ${idleMs / 1_000} s after the last call, when V8 has returned what it does not use`,
      ],
    }
  } finally {
    await close()
  }
}

/** All different, because an agent stops a model that repeats itself. */
function batches(index: number): Reply {
  if (index * callsPerBatch >= calls) return [{ text: 'All calls have ended.' }]
  return Array.from({ length: callsPerBatch }, (_, call) => {
    const number = index * callsPerBatch + call + 1
    return {
      call: { id: `call_${number}`, name: 'read_file', input: { path: 'note.txt', line_count: number } },
    }
  })
}

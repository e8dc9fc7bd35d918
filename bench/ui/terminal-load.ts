import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Reply, Step } from '../../packages/torture/src/model-server/start-model-server.ts'
import type { Findings } from '../report.ts'
import { cpuSeconds, pssMegabytes } from './process-usage.ts'
import { openTerminalAgent } from './terminal-agent.ts'

const printLines = fileURLToPath(new URL('./print-lines.ts', import.meta.url))
const warmUpMs = 3_000
const measuredMs = 10_000
const linesPerSecond = 1_000
const deltasPerSecond = 200

/** CPU time while a command prints and while the model writes. */
export async function measureTerminalLoad(): Promise<Findings> {
  const lines = await measure((index) => (index === 0 ? printing() : [{ text: 'Done.' }]), /line \d+/)
  const deltas = await measure(writing, /word\d+/)
  return {
    targets: [
      {
        name: `CPU while a command prints ${linesPerSecond} lines a second`,
        figure: lines.percent,
        unit: '%',
        atMost: 7,
      },
      {
        name: `CPU while the model writes ${deltasPerSecond} deltas a second`,
        figure: deltas.percent,
        unit: '%',
        atMost: 10,
      },
    ],
    information: [
      { name: 'frames a second while a command prints', figure: lines.framesPerSecond, unit: '' },
      { name: 'frames a second while the model writes', figure: deltas.framesPerSecond, unit: '' },
      { name: 'written per frame while a command prints', figure: lines.bytesPerFrame, unit: 'bytes' },
      { name: 'written per frame while the model writes', figure: deltas.bytesPerFrame, unit: 'bytes' },
      { name: 'memory (PSS) while a command prints', figure: lines.megabytes, unit: 'MB' },
      { name: 'memory (PSS) while the model writes', figure: deltas.megabytes, unit: 'MB' },
    ],
    notes: [`CPU: of one core, over ${measuredMs / 1_000} s, without the command that prints`],
  }
}

interface Load {
  readonly percent: number
  readonly framesPerSecond: number
  readonly bytesPerFrame: number
  readonly megabytes: number
}

async function measure(script: (index: number) => Reply, started: RegExp): Promise<Load> {
  const { terminal, close } = await openTerminalAgent(script, ['--allow', 'run_command'])
  try {
    terminal.type('Go\r')
    await terminal.shows(started)
    await delay(warmUpMs)
    terminal.forget()
    const before = cpuSeconds(terminal.pid)
    const start = performance.now()
    await delay(measuredMs)
    const seconds = (performance.now() - start) / 1_000
    const percent = ((cpuSeconds(terminal.pid) - before) / seconds) * 100
    const { frames, bytes } = terminal
    return {
      percent,
      framesPerSecond: frames / seconds,
      bytesPerFrame: bytes / frames,
      megabytes: pssMegabytes(terminal.pid),
    }
  } finally {
    await close()
  }
}

const totalSeconds = (warmUpMs + measuredMs) / 1_000 + 5

function printing(): Step[] {
  const command = `exec '${process.execPath}' '${printLines}' ${linesPerSecond} ${totalSeconds}`
  return [{ call: { name: 'run_command', input: { command } } }]
}

/** Words in short paragraphs, at a rate that does not depend on how late timers are. */
function writing(): Reply {
  const steps: Step[] = []
  for (let word = 0; word < deltasPerSecond * totalSeconds; word++) {
    steps.push(
      { text: word % 60 === 59 ? `word${word}.\n\n` : `word${word} ` },
      { wait: 1_000 / deltasPerSecond },
    )
  }
  return steps
}

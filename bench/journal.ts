import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { journalPath } from '@curfew/journal'
import { fillJournal } from './journal/fill-journal.ts'
import type { Findings } from './report.ts'
import type { CurfewTasks } from './scheduler/curfew.ts'
import { Side } from './side.ts'
import { median } from './statistics.ts'

const calls = 1_000
const batchesPerRound = 5
const rounds = 12
const rows = 1_000_000
const commandRounds = 15
const bin = fileURLToPath(new URL('../packages/cli/bin/curfew.cjs', import.meta.url))

/** What recording calls costs, how fast a large journal is read, and how large it is. */
export async function measureJournal(): Promise<Findings> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-bench-')))
  try {
    const cost = await measureCost(home)
    const reading = await measureReading(home)
    return {
      targets: [
        { name: 'added per call in a batch', figure: cost.on - cost.off, unit: 'µs', atMost: 25 },
        {
          name: `curfew log --failed of ${rows.toLocaleString('en-US')} calls, more than node -e 0`,
          figure: reading.failed - reading.node,
          unit: 'ms',
          atMost: 300,
        },
        { name: 'size per call of an agent', figure: reading.bytes, unit: 'bytes', atMost: 1_024 },
        {
          name: 'size per call of a tool that does nothing',
          figure: cost.bytes,
          unit: 'bytes',
          atMost: 1_024,
        },
      ],
      information: [
        { name: `a call in ${calls}, without the journal`, figure: cost.off, unit: 'µs' },
        { name: `a call in ${calls}, with the journal`, figure: cost.on, unit: 'µs' },
        { name: 'with / without', figure: cost.on / cost.off, unit: 'x' },
        { name: 'CPU time of the main thread per call, without', figure: cost.cpuOff, unit: 'µs' },
        { name: 'CPU time of the main thread per call, with', figure: cost.cpuOn, unit: 'µs' },
        { name: 'one call at a time, without the journal', figure: cost.singleOff, unit: 'µs' },
        { name: 'one call at a time, with the journal', figure: cost.singleOn, unit: 'µs' },
        { name: 'node -e 0', figure: reading.node, unit: 'ms' },
        { name: 'curfew log --failed', figure: reading.failed, unit: 'ms' },
        { name: 'curfew log', figure: reading.log, unit: 'ms' },
        { name: 'curfew stats', figure: reading.stats, unit: 'ms' },
      ],
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

interface Cost {
  readonly on: number
  readonly off: number
  readonly singleOn: number
  readonly singleOff: number
  readonly cpuOn: number
  readonly cpuOff: number
  readonly bytes: number
}

/** Microseconds per call, medians of alternating rounds. */
async function measureCost(home: string): Promise<Cost> {
  const module = new URL('./scheduler/curfew.ts', import.meta.url)
  const folder = join(home, 'recorded')
  mkdirSync(folder)
  const off = await Side.start<CurfewTasks>(module, { home })
  const on = await Side.start<CurfewTasks>(module, { home: folder, args: ['--journal'] })
  const times = {
    off: [] as number[],
    on: [] as number[],
    singleOff: [] as number[],
    singleOn: [] as number[],
  }
  const cpu = { off: [] as number[], on: [] as number[] }
  try {
    // Warm, and the buffers of the file system are filled.
    for (const side of [off, on]) await side.ask('batches', calls, 30)
    await on.ask('flush')
    for (let round = 0; round < rounds; round++) {
      times.off.push(...(await off.ask('batches', calls, batchesPerRound)))
      times.on.push(...(await on.ask('batches', calls, batchesPerRound)))
      cpu.off.push(await off.ask('mainThreadCpu', calls, batchesPerRound))
      cpu.on.push(await on.ask('mainThreadCpu', calls, batchesPerRound))
      await on.ask('flush')
    }
    for (let round = 0; round < rounds / 2; round++) {
      times.singleOff.push(await off.ask('oneAtATime', calls))
      times.singleOn.push(await on.ask('oneAtATime', calls))
      await on.ask('flush')
    }
    const { recorded, dropped } = await on.ask('recorded')
    if (dropped > 0) throw new Error(`${dropped} calls were not recorded`)
    const perCall = (values: readonly number[]): number => (median(values) / calls) * 1_000
    return {
      off: perCall(times.off),
      on: perCall(times.on),
      singleOff: perCall(times.singleOff),
      singleOn: perCall(times.singleOn),
      cpuOff: median(cpu.off),
      cpuOn: median(cpu.on),
      bytes: statSync(journalPath(folder, folder)).size / recorded,
    }
  } finally {
    for (const side of [off, on]) side.stop()
  }
}

/** Milliseconds of commands, medians of alternating rounds. */
async function measureReading(
  home: string,
): Promise<Record<'node' | 'failed' | 'log' | 'stats' | 'bytes', number>> {
  const project = join(home, 'project')
  mkdirSync(project)
  mkdirSync(join(home, '.cache'))
  const path = journalPath(join(home, '.local', 'state', 'curfew'), project)
  await fillJournal(path, project, rows)
  const commands = {
    node: ['-e', '0'],
    failed: [bin, 'log', '--failed'],
    log: [bin, 'log'],
    stats: [bin, 'stats'],
  }
  const names = Object.keys(commands) as (keyof typeof commands)[]
  const times = { node: [] as number[], failed: [] as number[], log: [] as number[], stats: [] as number[] }
  for (const name of names) await time(commands[name], home, project)
  for (let round = 0; round < commandRounds; round++)
    for (const name of names) times[name].push(await time(commands[name], home, project))
  return {
    node: median(times.node),
    failed: median(times.failed),
    log: median(times.log),
    stats: median(times.stats),
    bytes: statSync(path).size / rows,
  }
}

async function time(args: readonly string[], home: string, cwd: string): Promise<number> {
  const { PATH } = process.env
  const start = performance.now()
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let length = 0
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  const [code] = await once(child, 'close')
  if (code !== 0 || (args.length > 2 && length < 100))
    throw new Error(`${args.join(' ')} exited with ${String(code)} and printed ${length} bytes`)
  return performance.now() - start
}

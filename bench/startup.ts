import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Findings } from './report.ts'
import { median } from './statistics.ts'

const rounds = 30
const scripts = 5
const bin = fileURLToPath(new URL('../packages/cli/bin/curfew.cjs', import.meta.url))

interface Case {
  readonly name: string
  /** @default Node */
  readonly file?: string
  readonly args: readonly string[]
  /** Multiples of `node -e 0`. */
  readonly atMost?: number
  /** Drives the process; the measured time ends when it resolves. By default, it ends when the process exits. */
  readonly drive?: (child: ChildProcess) => Promise<void>
}

const node: Case = { name: 'node -e 0', args: ['-e', '0'] }
const cases: readonly Case[] = [
  { name: 'curfew --version', args: [bin, '--version'], atMost: 1.5 },
  { name: `curfew tools, ${scripts} scripts`, args: [bin, 'tools'], atMost: 2.5 },
  { name: 'curfew call of a script', args: [bin, 'call', 'script_tool_1', 'name=Ada'], atMost: 4 },
  { name: 'curfew timeout 10 true', args: [bin, 'timeout', '10', 'true'], atMost: 2 },
  { name: 'GNU timeout 10 true', file: 'timeout', args: ['10', 'true'] },
  { name: 'curfew mcp, to the first tools/list response', args: [bin, 'mcp'], drive: listTools },
]

/** The time that commands take, in multiples of `node -e 0`. */
export async function measureStartup(): Promise<Findings> {
  const home = createHome()
  try {
    const all = [node, ...cases]
    const times = new Map<Case, number[]>(all.map((one) => [one, []]))
    // Untimed: fills the compile cache and the file system's cache.
    for (const one of all) await time(one, home)
    for (let round = 0; round < rounds; round++)
      for (const one of all) times.get(one)!.push(await time(one, home))
    const medians = new Map([...times].map(([one, values]) => [one, median(values)]))
    const figures = cases.map((one) => ({
      ...one,
      name: `${one.name} / ${node.name}`,
      figure: medians.get(one)! / medians.get(node)!,
      unit: 'x',
    }))
    return {
      targets: figures.flatMap(({ name, figure, unit, atMost }) =>
        atMost === undefined ? [] : [{ name, figure, unit, atMost }],
      ),
      information: [
        ...figures.flatMap(({ name, figure, unit, atMost }) =>
          atMost === undefined ? [{ name, figure, unit }] : [],
        ),
        ...[...medians].map(([{ name }, figure]) => ({ name, figure, unit: 'ms' })),
      ],
      notes: [`medians of ${rounds} alternating rounds`],
    }
  } finally {
    rmSync(home, { recursive: true })
  }
}

/** A home directory with a folder for the compile cache, and with script tools. */
function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'curfew-bench-'))
  mkdirSync(join(home, '.cache'))
  for (let index = 1; index <= scripts; index++) {
    const folder = join(home, '.config', 'curfew', 'extensions', 'scripts', `tool_${index}`)
    mkdirSync(folder, { recursive: true })
    const definition = {
      name: `tool_${index}`,
      description: 'Greet a person by name.',
      timeout: 60,
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', default: 'world', description: 'The name of the person.' } },
        additionalProperties: false,
      },
    }
    writeFileSync(join(folder, 'tool.json'), JSON.stringify(definition))
    writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\ncat\n', { mode: 0o755 })
  }
  return home
}

async function time({ name, file = process.execPath, args, drive }: Case, home: string): Promise<number> {
  const { PATH } = process.env
  const start = performance.now()
  const stdio = drive === undefined ? 'ignore' : (['pipe', 'pipe', 'ignore'] as const)
  const child = spawn(file, args, {
    cwd: home,
    env: { PATH, HOME: home },
    stdio: stdio as 'ignore',
  })
  const exited = once(child, 'exit')
  await drive?.(child)
  const driven = performance.now()
  const [code] = await exited
  if (code !== 0) throw new Error(`${name} exited with ${String(code)}`)
  return (drive === undefined ? performance.now() : driven) - start
}

async function listTools({ stdin, stdout }: ChildProcess): Promise<void> {
  const send = (message: object): void =>
    void stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  send({ id: 1, method: 'initialize', params })
  for await (const line of createInterface({ input: stdout! })) {
    const { id } = JSON.parse(line) as { id?: number }
    if (id === 1) {
      send({ method: 'notifications/initialized' })
      send({ id: 2, method: 'tools/list' })
    }
    if (id === 2) break
  }
  stdin!.end()
}

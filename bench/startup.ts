import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { everything } from './gateway/programs.ts'
import type { Findings } from './report.ts'
import { importCost } from './startup/import-cost.ts'
import { median } from './statistics.ts'

const rounds = 30
const scripts = 5
const bin = fileURLToPath(new URL('../packages/cli/bin/curfew.cjs', import.meta.url))

interface Case {
  readonly name: string
  /** @default Node */
  readonly file?: string
  readonly args: readonly string[]
  /** What its time is a multiple of. @default `node -e 0` */
  readonly relativeTo?: Case
  readonly atMost?: number
  /** There is an MCP server, whose tools are known from an earlier start. */
  readonly hasServer?: boolean
  /** Drives the process; the measured time ends when it resolves. By default, it ends when the process exits. */
  readonly drive?: (child: ChildProcess) => Promise<void>
}

const node: Case = { name: 'node -e 0', args: ['-e', '0'] }
const bareResponder: Case = {
  name: 'a bare stdio responder, to its tools/list response',
  args: [fileURLToPath(new URL('./startup/bare-responder.cjs', import.meta.url))],
  drive: listTools,
}
const cases: readonly Case[] = [
  { name: 'curfew --version', args: [bin, '--version'], atMost: 1.5 },
  { name: `curfew tools, ${scripts} scripts`, args: [bin, 'tools'], atMost: 2.5 },
  { name: 'curfew call of a script', args: [bin, 'call', 'script_tool_1', 'name=Ada'], atMost: 4 },
  { name: 'curfew timeout 10 true', args: [bin, 'timeout', '10', 'true'], atMost: 2 },
  { name: 'GNU timeout 10 true', file: 'timeout', args: ['10', 'true'] },
  { name: 'curfew mcp, to the first tools/list response', args: [bin, 'mcp'], drive: listTools },
  bareResponder,
  {
    name: 'curfew mcp with a known server, to the first tools/list response',
    args: [bin, 'mcp'],
    drive: listTools,
    hasServer: true,
    relativeTo: bareResponder,
    atMost: 5.5,
  },
]
const maxImportMs = 150

/** The time that commands take, in multiples of `node -e 0`. */
export async function measureStartup(): Promise<Findings> {
  const homes = { plain: createHome(), withServer: createHome() }
  const homeOf = ({ hasServer }: Case): string => (hasServer ? homes.withServer : homes.plain)
  try {
    addServer(homes.withServer)
    const all = [node, ...cases]
    const times = new Map<Case, number[]>(all.map((one) => [one, []]))
    const imports: number[] = []
    // Untimed: fills the compile cache and the file system's cache, and lists the tools of the server.
    for (const one of all) await time(one, homeOf(one))
    for (let round = 0; round < rounds; round++) {
      for (const one of all) times.get(one)!.push(await time(one, homeOf(one)))
      imports.push(importCost('@curfew/mcp'))
    }
    const medians = new Map([...times].map(([one, values]) => [one, median(values)]))
    const figures = cases.map((one) => {
      const { relativeTo = node } = one
      return {
        ...one,
        name: `${one.name} / ${relativeTo.name}`,
        figure: medians.get(one)! / medians.get(relativeTo)!,
        unit: 'x',
      }
    })
    return {
      targets: [
        ...figures.flatMap(({ name, figure, unit, atMost }) =>
          atMost === undefined ? [] : [{ name, figure, unit, atMost }],
        ),
        { name: 'importing @curfew/mcp, CPU time', figure: median(imports), unit: 'ms', atMost: maxImportMs },
      ],
      information: [
        ...figures.flatMap(({ name, figure, unit, atMost }) =>
          atMost === undefined ? [{ name, figure, unit }] : [],
        ),
        ...[...medians].map(([{ name }, figure]) => ({ name, figure, unit: 'ms' })),
      ],
      notes: [`medians of ${rounds} alternating rounds`],
    }
  } finally {
    for (const home of Object.values(homes)) rmSync(home, { recursive: true })
  }
}

function addServer(home: string): void {
  const [command, ...args] = everything
  const mcpServers = { everything: { command, args: [...args, 'stdio'] } }
  writeFileSync(join(home, '.config', 'curfew', 'mcp.json'), JSON.stringify({ mcpServers }))
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

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkspace, type SearchReport, searchTools } from '@curfew/agent/tools'
import { createRuntime, type Runtime } from '@curfew/core'
import type { Findings, Target } from '../report.ts'
import { median } from '../statistics.ts'
import { rareNumber, writeSourceTree } from './source-tree.ts'

const files = 50_000
const rounds = 11

interface Query {
  readonly name: string
  readonly pattern: string
  readonly literal?: boolean
  readonly ignore_case?: boolean
  /** How much longer our own search may take than ripgrep. */
  readonly atMost: number
}

const queries: readonly Query[] = [
  { name: 'a literal', pattern: 'needle: Haystack', literal: true, atMost: 4 },
  { name: 'a regular expression', pattern: 'function\\s+\\w+Request\\(', atMost: 6 },
  { name: 'one of three words', pattern: 'Haystack|Pitchfork|Barn', atMost: 6 },
  { name: 'a regular expression without literals', pattern: '\\w+[0-9]+[A-Z]\\w+', atMost: 6 },
  { name: 'a literal in any case', pattern: 'NEEDLE: haystack', literal: true, ignore_case: true, atMost: 6 },
]

/** `search_files` with ripgrep and without it, compared with ripgrep itself. */
export async function measureSearch(): Promise<Findings> {
  const program = ripgrepPath()
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-bench-'))
  try {
    writeSourceTree(root, files)
    const workspace = createWorkspace({ root })
    const withRipgrep = createRuntime()
    withRipgrep.register(searchTools(workspace, { ripgrep: program }))
    const without = createRuntime()
    without.register(searchTools(workspace, { ripgrep: null }))
    const targets: Target[] = []
    const rows: string[][] = []
    for (const query of queries) {
      const times = { alone: [] as number[], with: [] as number[], without: [] as number[] }
      // The sides alternate, and the first round warms up.
      for (let round = 0; round <= rounds; round++) {
        const alone = await time(() => runRipgrep(program, root, query))
        const tool = await time(() => search(withRipgrep, query))
        const own = await time(() => search(without, query))
        if (round === 0) continue
        times.alone.push(alone)
        times.with.push(tool)
        times.without.push(own)
      }
      // The median of the rounds' ratios, because the machine may be busy in some of them.
      const ratio = (side: readonly number[]): number =>
        median(side.map((ms, round) => ms / times.alone[round]!))
      targets.push(
        {
          name: `${query.name}, with ripgrep / ripgrep`,
          figure: ratio(times.with),
          unit: 'x',
          atMost: 1.3,
        },
        {
          name: `${query.name}, without ripgrep / ripgrep`,
          figure: ratio(times.without),
          unit: 'x',
          atMost: query.atMost,
        },
      )
      const all = [median(times.alone), median(times.with), median(times.without)]
      rows.push([query.name, ...all.map((ms) => `${Math.round(ms)} ms`)])
    }
    await Promise.all([withRipgrep.close(), without.close()])
    const head = ['search', 'ripgrep', 'search_files with it', 'without it']
    return { targets, information: [], tables: [{ title: `${files} files`, head, rows }] }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function ripgrepPath(): string {
  const require = createRequire(import.meta.url)
  const main = createRequire(require.resolve('@vscode/ripgrep'))
  return main.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`)
}

async function runRipgrep(program: string, root: string, query: Query): Promise<void> {
  const { pattern, literal = false, ignore_case = false } = query
  const flags = [...(literal ? ['--fixed-strings'] : []), ...(ignore_case ? ['--ignore-case'] : [])]
  const child = spawn(program, ['--no-config', '--line-number', ...flags, `--regexp=${pattern}`, './'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let lines = 0
  child.stdout!.on('data', (chunk: Buffer) => {
    lines += chunk.toString('latin1').split('\n').length - 1
  })
  await once(child, 'close')
  check(query, lines)
}

async function search(runtime: Runtime, { name, atMost, ...params }: Query): Promise<void> {
  const [result] = await runtime.execute([{ id: '1', name: 'search_files', params }])
  if (result!.status !== 'success') throw new Error(`${name} (at most ${atMost}): ${result!.content}`)
  check({ name, atMost, ...params }, (result!.value as SearchReport).matches)
}

function check({ name }: Query, found: number): void {
  if (found !== files / rareNumber)
    throw new Error(`${name}: expected ${files / rareNumber} matches, got ${found}`)
}

async function time(run: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromDefinition, type Review, reviewTools } from '@curfew/review'
import type { Findings } from './report.ts'

const count = 1_000
const passes = 5
const command = fileURLToPath(new URL('../packages/cli/bin/curfew.cjs', import.meta.url))
const verbs = ['get', 'list', 'create', 'delete', 'run']
const nouns = ['note', 'event', 'task', 'file', 'page', 'user', 'team', 'board', 'card', 'label', 'build']

/** Definitions with many problems, so that every rule has something to report. */
const definitions = Array.from({ length: count }, (_, index) => ({
  name: `${verbs[index % verbs.length]}_${nouns[index % nouns.length]}_${index}`,
  description:
    'Runs a command with a **bounded** time limit. Returns JSON with its output. Use this to prevent runaway commands; see also sleep.',
  inputSchema: {
    type: 'object',
    properties: {
      command_args: { type: 'string', description: 'Command and arguments to run.' },
      dry_run: { type: 'boolean', description: 'Report without running the command.' },
      max_output_bytes: { type: 'integer' },
      seconds: { type: 'number', description: 'Timeout in seconds.', default: 5 },
    },
    required: ['seconds'],
  },
  annotations: { readOnlyHint: true },
}))

/** The time to review a thousand definitions: cold, warm, and with the whole command. */
export async function measureReview(): Promise<Findings> {
  const times: number[] = []
  let review: Review | undefined
  for (let pass = 0; pass < passes; pass++) {
    const start = performance.now()
    review = reviewTools(definitions.map((definition) => fromDefinition(definition)))
    times.push(performance.now() - start)
  }
  const findings = review!.tools.reduce((sum, tool) => sum + tool.findings.length, 0)
  return {
    targets: [
      { name: `${count} definitions, cold`, figure: times[0]!, unit: 'ms', atMost: 1_000 },
      {
        name: 'curfew review --json of the same, whole process',
        figure: timeCommand(),
        unit: 'ms',
        atMost: 1_000,
      },
    ],
    information: [{ name: 'the same, warm', figure: Math.min(...times), unit: 'ms' }],
    tables: [],
    notes: [`${findings} findings`],
  }
}

function timeCommand(): number {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-bench-'))
  try {
    const file = join(folder, 'tools.json')
    writeFileSync(file, JSON.stringify({ tools: definitions }))
    const start = performance.now()
    const { status } = spawnSync(process.execPath, [command, 'review', file, '--json'], { stdio: 'ignore' })
    if (status !== 1) throw new Error(`expected curfew review to exit with 1, got ${status}`)
    return performance.now() - start
  } finally {
    rmSync(folder, { recursive: true })
  }
}

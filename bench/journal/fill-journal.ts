import { JournalDatabase } from '../../packages/journal/dist/store/journal-database.js'
import { prepareFile } from '../../packages/journal/dist/store/prepare-file.js'

const dayMs = 86_400_000
const perBatch = 10_000
const callsPerRun = 50_000

interface Kind {
  readonly tool: string
  readonly adapter: string
  readonly args: (index: number) => string
  readonly output: string
  readonly result: string
}

const line = 'packages/core/src/schedule/scheduler.ts:142:  const settled = await this.#settle(call)\n'

/** What an agent calls, with typical lengths. */
const kinds: readonly Kind[] = [
  {
    tool: 'read_file',
    adapter: 'builtin',
    args: (index) =>
      JSON.stringify({ path: `packages/core/src/store/file-${index % 997}.ts`, offset: 1, limit: 200 }),
    output: '',
    result: line.repeat(4),
  },
  {
    tool: 'run_command',
    adapter: 'builtin',
    args: (index) => JSON.stringify({ command: `npx vitest run packages/core/src/deadline --seed ${index}` }),
    output: line.repeat(6),
    result: line.repeat(4),
  },
  {
    tool: 'edit_file',
    adapter: 'builtin',
    args: (index) =>
      JSON.stringify({
        path: `docs/page-${index % 101}.md`,
        old_text: line.repeat(2),
        new_text: line.repeat(3),
      }),
    output: '',
    result: 'Replaced 1 occurrence.',
  },
  {
    tool: 'mcp__github__search_issues',
    adapter: 'mcp',
    args: (index) => JSON.stringify({ query: `repo:owner/name is:open flaky ${index % 53}`, per_page: 20 }),
    output: '',
    result: line.repeat(4),
  },
]

/** Records calls as the thread of the journal does, of several processes over 30 days. One in 20 has failed. */
export async function fillJournal(path: string, project: string, count: number): Promise<void> {
  await prepareFile(path)
  const now = Date.now()
  for (let done = 0; done < count; done += callsPerRun) {
    const run = {
      name: `r${(done / callsPerRun).toString(36).padStart(3, '0')}`,
      program: 'terminal',
      version: '0.1.0',
      pid: 1,
      identity: '1-1-1',
      boot: 'bench',
      host: 'bench',
      startedAt: now,
    }
    const written = new Int32Array(new SharedArrayBuffer(4))
    const db = new JournalDatabase({ path, project, run, maxAgeDays: 1_000, maxBytes: 2 ** 40, written })
    for (let first = 0; first < callsPerRun; first += perBatch) {
      const calls = Array.from({ length: perBatch }, (_, index) => {
        const at = now - 30 * dayMs * (1 - (done + first + index) / count)
        return record(first + index + 1, done + first + index, Math.floor(at))
      })
      db.write({ calls, lateEnds: [], dropped: 0, live: 0 }, now)
    }
    db.endRun(now)
    db.close()
  }
}

/** In the order of `callColumns`. */
function record(number: number, index: number, at: number): (string | number | null | number[])[] {
  const { tool, adapter, args, output, result } = kinds[index % kinds.length]!
  const hasFailed = index % 20 === 7
  const durationMs = (index * 7_919) % 5_000
  return [
    number,
    number,
    `call_${(index * 2_654_435_761).toString(36).padStart(24, 'x')}`,
    null,
    'agent',
    `turn-${Math.floor(index / 10)}`,
    Math.floor(index / 3),
    `20261118-${String(100_000 + Math.floor(index / 500))}-abc`,
    tool,
    at,
    args(index),
    adapter,
    adapter === 'mcp' ? 'github' : null,
    hasFailed ? 'error' : 'success',
    hasFailed ? 'TOOL_FAILED' : null,
    hasFailed ? 'The tool failed: ENOENT: no such file or directory' : null,
    null,
    at + 3,
    at + 3 + durationMs,
    at + 3 + durationMs,
    durationMs,
    [0, 0, 2, 4, 3, 31, hasFailed ? 5 : 4, 31 + durationMs * 10],
    180_000,
    'default',
    180_000,
    'default',
    null,
    'rule',
    `${tool}(*)`,
    0,
    0,
    0,
    output.length,
    output,
    null,
    hasFailed ? null : 4_000,
    hasFailed ? '' : result.slice(0, 301),
    null,
    0,
    0,
    null,
    0,
  ]
}

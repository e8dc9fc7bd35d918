import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCheckpoints } from '@curfew/agent/tools'
import type { Findings } from '../report.ts'
import { median } from '../statistics.ts'

const folders = 1_000
const filesPerFolder = 20
const changedFiles = 10
const rounds = 15

/** What a checkpoint costs in a workspace of 20,000 files. */
export async function measureCheckpoints(): Promise<Findings> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-bench-'))
  const root = join(base, 'project')
  const checkpoints = createCheckpoints({
    root: createProject(root),
    folder: join(base, 'state'),
    conversation: 'bench',
    isSecret: () => false,
    onNotice: (message) => {
      throw new Error(message)
    },
    timeoutMs: 600_000,
  })
  try {
    const { signal } = new AbortController()
    const take = async (): Promise<number> => {
      const start = performance.now()
      await checkpoints.take({ position: 0, followedBy: ['bench'], signal })
      return performance.now() - start
    }
    const first = await take()
    // Files that are about as old as the last checkpoint are read again.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await take()
    const later: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (let file = 0; file < changedFiles; file++)
        writeFileSync(
          pathOf(root, (round * 37 + file * 101) % folders, file),
          `round ${round}, file ${file}\n`,
        )
      later.push(await take())
    }
    const [, target] = await checkpoints.list()
    const start = performance.now()
    const plan = await checkpoints.plan(target!.number, { signal })
    await checkpoints.restore(plan, { position: 0, followedBy: ['restore'], signal })
    const restored = performance.now() - start
    return {
      targets: [
        {
          name: `a checkpoint of ${folders * filesPerFolder} files, ${changedFiles} changed`,
          figure: median(later),
          unit: 'ms',
          atMost: 300,
        },
      ],
      information: [
        { name: 'the first checkpoint of the workspace', figure: first, unit: 'ms' },
        { name: `restoring ${changedFiles} files`, figure: restored, unit: 'ms' },
      ],
    }
  } finally {
    await checkpoints.close()
    rmSync(base, { recursive: true, force: true })
  }
}

/** Part of a repository, as most projects are. */
function createProject(root: string): string {
  mkdirSync(root)
  for (let folder = 0; folder < folders; folder++) {
    mkdirSync(join(root, `folder-${folder}`))
    for (let file = 0; file < filesPerFolder; file++)
      writeFileSync(pathOf(root, folder, file), `export const value = '${folder}-${file}'\n`.repeat(50))
  }
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n*.log\n')
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
  ])
    execFileSync('git', args, { cwd: root })
  return root
}

function pathOf(root: string, folder: number, file: number): string {
  return join(root, `folder-${folder}`, `file-${file}.ts`)
}

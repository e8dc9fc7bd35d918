import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { runProcess } from '@curfew/core/internal'
import { execa } from 'execa'
import treeKill from 'tree-kill'
import { serve } from '../side.ts'
import { containmentOption, type Kind } from './containments.ts'

export interface ScenarioTasks {
  /** Runs the script with a limit of one second; returns the milliseconds until the call returned. */
  run(runner: Runner, script: string, tag: string): Promise<number>
}

type Argv = [string, ...string[]]
export type Runner = keyof typeof runners

const timeoutMs = 1_000

const runners = {
  'Curfew cgroup': (argv: Argv) => withCurfew('cgroup', argv),
  'Curfew markers': (argv: Argv) => withCurfew('markers', argv),
  'Curfew namespace': (argv: Argv) => withCurfew('namespace', argv),
  timeout: (argv: Argv) => untilClosed(['timeout', '1', ...argv]),
  'timeout -k .5': (argv: Argv) => untilClosed(['timeout', '-k', '.5', '1', ...argv]),
  execFile: async ([file, ...args]: Argv) => {
    await promisify(execFile)(file, args, { timeout: timeoutMs }).catch(() => {})
  },
  execa: async ([file, ...args]: Argv) => {
    await execa(file, args, { timeout: timeoutMs, stdin: 'ignore', reject: false })
  },
  'execa, force': async ([file, ...args]: Argv) => {
    const options = { timeout: timeoutMs, forceKillAfterDelay: 500, detached: true } as const
    await execa(file, args, { ...options, stdin: 'ignore', reject: false })
  },
  'execa, killDescendants': async ([file, ...args]: Argv) => {
    const options = { timeout: timeoutMs, forceKillAfterDelay: 500, killDescendants: true } as const
    await execa(file, args, { ...options, stdin: 'ignore', reject: false })
  },
  'tree-kill': (argv: Argv) => untilClosed(argv, (pid) => treeKill(pid, 'SIGKILL')),
}

serve<ScenarioTasks>({
  async run(runner, script, tag) {
    const start = performance.now()
    await runners[runner](['sh', '-c', script, tag])
    return performance.now() - start
  },
})

async function withCurfew(kind: Kind, argv: Argv): Promise<void> {
  const { containment } = await runProcess({ argv, timeoutMs, containment: containmentOption[kind] })
  if (containment !== kind) throw new Error(`expected containment by ${kind}, got ${containment}`)
}

/** Reads the output to its end. */
function untilClosed([file, ...args]: Argv, atLimit?: (pid: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const timer = setTimeout(() => atLimit?.(child.pid!), timeoutMs)
    child.on('error', reject)
    child.stdout.resume()
    child.stderr.resume()
    child.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

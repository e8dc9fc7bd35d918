import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { plainEnvironment } from './plain-environment.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts the built command, without colours and, by default, without input. */
export function startCurfew(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  return spawn(process.execPath, [bin, ...args], {
    env: plainEnvironment(env),
    stdio: [stdin, 'pipe', 'pipe'],
    cwd,
  })
}

export async function runCurfew(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Ended> {
  return await ending(startCurfew(args, env, cwd))
}

export function ending(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

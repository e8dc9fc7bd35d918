import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { hasProgram } from '../../../test/support/can-test.ts'
import { plainEnvironment } from './plain-environment.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))

/** Python provides the pseudo-terminal. */
export const hasTerminal: boolean = hasProgram('python3', '-c', 'import pty')

const bridge =
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 4096))))'

/** Called once, when the output matches. */
type Reaction = readonly [
  pattern: RegExp,
  react: (type: (text: string) => void, found: RegExpExecArray) => Promise<void>,
]

type Ended = Promise<{ code: number | null; stdout: string }>

/** Runs the built command on a terminal, and reacts to its output in order. */
export function runInTerminal(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
  reactions: readonly Reaction[],
): Ended {
  return runOnTerminal([bin, ...args], env, cwd, reactions)
}

/** The same for another program of Node.js. */
export function runOnTerminal(
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
  reactions: readonly Reaction[],
): Ended {
  const child = spawn('python3', ['-c', bridge, process.execPath, ...args], {
    env: plainEnvironment(env),
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd,
  })
  const pending = [...reactions]
  let stdout = ''
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const found = pending[0]?.[0].exec(stdout)
      if (found)
        pending
          .shift()![1]((text) => void child.stdin.write(text), found)
          .catch(reject)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout }))
  })
}

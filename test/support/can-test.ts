import { spawnSync } from 'node:child_process'

/**
 * Whether a program that tests need is installed. CI installs all of them, so a missing one fails there; elsewhere, the tests are skipped
 * and the reason is printed.
 */
export function hasProgram(program: string, ...args: string[]): boolean {
  const { status } = spawnSync(program, args.length > 0 ? args : ['--version'], { timeout: 60_000 })
  if (status === 0) return true
  const reason = `${program} is not installed, or ${[program, ...args].join(' ')} fails`
  if (process.env.CI) throw new Error(`expected everything that tests need in CI: ${reason}`)
  return canTest(reason)
}

/** False if there is a problem that installing a program does not solve, such as a missing permission: then it is printed. */
export function canTest(problem: string | null): boolean {
  if (problem !== null) process.stdout.write(`tests are skipped: ${problem}\n`)
  return problem === null
}

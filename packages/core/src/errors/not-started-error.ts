import { existsSync } from 'node:fs'
import { CurfewError } from './curfew-error.ts'

/** A tool's program could not be started, so nothing has happened and a retry is safe. */
export function notStartedError(
  tool: string,
  program: string,
  error: NodeJS.ErrnoException | null,
): CurfewError {
  return new CurfewError('TOOL_FAILED', `${tool} did not run: ${reason(program, error)}`, {
    hadNoEffect: true,
    cause: error ?? undefined,
  })
}

function reason(program: string, error: NodeJS.ErrnoException | null): string {
  const name = JSON.stringify(program)
  if (error?.code === 'EACCES') return `${name} is not executable`
  if (error?.code !== 'ENOENT') return error?.message ?? `${name} could not be started`
  // The kernel reports a missing interpreter as if the script itself were missing.
  return existsSync(program)
    ? `the interpreter in the first line of ${name} does not exist`
    : `program ${name} not found; install it, or correct the name`
}

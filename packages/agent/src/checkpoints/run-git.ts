import { startProcess } from '@curfew/core/internal'

export interface GitOptions {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Not the workspace: `PATH` may contain relative folders. */
  readonly cwd: string
  readonly signal: AbortSignal
  readonly input?: Buffer | undefined
  /** Besides 0. */
  readonly okExitCodes?: readonly number[] | undefined
}

export class GitMissingError extends Error {
  constructor() {
    super('git is not installed')
    this.name = 'GitMissingError'
  }
}

/** More than all paths of a large workspace, and more than one group of files that is restored. */
const maxOutputBytes = 256 * 2 ** 20
const maxMessageLength = 500

/** Runs git and returns its output. Throws the reason of the signal if that was aborted. */
export async function runGit(options: GitOptions): Promise<Buffer> {
  const { args, env, cwd, signal, input, okExitCodes = [] } = options
  signal.throwIfAborted()
  const chunks: Buffer[] = []
  let bytes = 0
  const tooLong = new AbortController()
  const running = startProcess({
    argv: ['git', ...args],
    cwd,
    env,
    stdin: input === undefined ? 'empty' : 'pipe',
    maxOutputBytes: 8_192,
    signal: AbortSignal.any([signal, tooLong.signal]),
    onOutput: (chunk, stream) => {
      if (stream === 'stderr') return
      bytes += chunk.length
      if (bytes > maxOutputBytes) tooLong.abort()
      else chunks.push(Buffer.from(chunk))
    },
  })
  if (input !== undefined) running.stdin?.end(input)
  const { outcome, exitCode, signal: endedBy, stderr, error } = await running.result
  signal.throwIfAborted()
  if (error?.code === 'ENOENT') throw new GitMissingError()
  const name = args.find((arg) => /^[a-z]+-/.test(arg))
  if (tooLong.signal.aborted) throw new Error(`git ${name} printed more than ${maxOutputBytes} bytes`)
  if (outcome !== 'exited' || exitCode === null || ![0, ...okExitCodes].includes(exitCode)) {
    const message = stderr.toString().trim().slice(0, maxMessageLength)
    throw new Error(
      `git ${name} failed: ${message || (error?.message ?? endedBy ?? `exit code ${exitCode}`)}`,
    )
  }
  return Buffer.concat(chunks)
}

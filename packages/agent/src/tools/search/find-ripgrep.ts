import { ownProgram, runProcess } from '@curfew/core/internal'

/** Older ones read the ignore files of nested repositories differently. */
const minVersion = 14
const versionTimeoutMs = 5_000

/** The path of a suitable ripgrep; `null` if there is none. */
export async function findRipgrep(): Promise<string | null> {
  const program = ownProgram('rg')
  return (await isSuitable(program)) ? program : null
}

async function isSuitable(program: string): Promise<boolean> {
  const result = await runProcess({
    argv: [program, '--no-config', '--version'],
    cwd: '/',
    timeoutMs: versionTimeoutMs,
    containment: 'markers',
  })
  const [, major] = /^ripgrep (\d+)\./.exec(result.stdout.toString()) ?? []
  return result.exitCode === 0 && Number(major ?? 0) >= minVersion
}

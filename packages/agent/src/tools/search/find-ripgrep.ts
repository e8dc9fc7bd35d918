import { delimiter, dirname } from 'node:path'
import { ownProgram, runProcess } from '@curfew/core/internal'

/** Older ones read the ignore files of nested repositories differently. */
const minVersion = 14
const versionTimeoutMs = 5_000

export const howToGetRipgrep =
  'ripgrep, which is much faster, was not found outside of this project: install version 14 or newer with a package manager, or Curfew globally with its optional dependencies'

/** The path of a suitable ripgrep, installed with Curfew or on the PATH; `null` if there is none. */
export async function findRipgrep(): Promise<string | null> {
  const folders = [await installedFolder(), process.env.PATH ?? '']
  const program = ownProgram('rg', folders.filter((folder) => folder !== null).join(delimiter))
  return (await isSuitable(program)) ? program : null
}

/** `null` if optional dependencies are not installed, or there is none for this platform. */
async function installedFolder(): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return dirname(rgPath)
  } catch {
    return null
  }
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

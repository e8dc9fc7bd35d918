import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, sep } from 'node:path'
import { runProcess } from '@curfew/core/internal'

/** Older ones read the ignore files of nested repositories differently. */
const minVersion = 14
const versionTimeoutMs = 5_000

/**
 * The path of a suitable ripgrep on the PATH; `null` if there is none. One in a folder of the workspace is not run: the project could have
 * replaced it.
 */
export async function findRipgrep(
  folders: readonly string[],
  path: string = process.env.PATH ?? '',
): Promise<string | null> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  for (const folder of path.split(delimiter)) {
    const program = isAbsolute(folder) ? executable(join(folder, name)) : null
    if (program === null || folders.some((inside) => program.startsWith(inside + sep))) continue
    return (await isSuitable(program)) ? program : null
  }
  return null
}

function executable(path: string): string | null {
  try {
    accessSync(path, constants.X_OK)
    return realpathSync(path)
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

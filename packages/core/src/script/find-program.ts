import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../errors/message-of.ts'

export type FoundProgram =
  | { readonly argv: readonly [string, ...string[]] }
  | { readonly file: string; readonly problem: string }

/** Unbuffered, so that output is seen when it is written; UTF-8 whatever the locale says. */
const python = ['python3', '-u', '-X', 'utf8'] as const

/** How the script in a folder is run: `script.js` by Node, `script.py` by Python, anything executable by itself. */
export async function findProgram(folder: string): Promise<FoundProgram> {
  const names = (await readdir(folder)).sort()
  if (names.includes('script.js')) return await readable(folder, 'script.js', [process.execPath])
  if (names.includes('script.py')) return await readable(folder, 'script.py', [...python])
  const executables: string[] = []
  for (const name of names) if (await isExecutable(join(folder, name))) executables.push(name)
  const named = executables.filter((name) => /^script(\.|$)/.test(name))
  const candidates = named.length > 0 ? named : executables
  if (candidates.length === 1) return { argv: [join(folder, candidates[0]!)] }
  const wanted = 'script.js, script.py, or one executable file'
  if (candidates.length > 1) {
    return {
      file: folder,
      problem: `has several executable files (${candidates.join(', ')}); it needs ${wanted}`,
    }
  }
  const mute = names.find((name) => /^script(\.|$)/.test(name))
  if (mute === undefined) return { file: folder, problem: `has no script; it needs ${wanted}` }
  return { file: join(folder, mute), problem: `is not executable; run: chmod +x ${mute}` }
}

async function readable(
  folder: string,
  name: string,
  runner: readonly [string, ...string[]],
): Promise<FoundProgram> {
  const file = join(folder, name)
  try {
    await access(file, constants.R_OK)
    if ((await stat(file)).isFile()) return { argv: [...runner, file] }
    return { file, problem: 'is not a file' }
  } catch (error) {
    return { file, problem: `cannot be read: ${messageOf(error)}` }
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

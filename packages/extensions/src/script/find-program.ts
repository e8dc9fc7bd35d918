import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@curfew/core/internal'

export type FoundProgram =
  | { readonly argv: readonly [string, ...string[]] }
  | { readonly file: string; readonly problem: string }

/** Otherwise Node prints a warning to the script's output if there is no "type" in package.json. */
const node = [process.execPath, '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'] as const
/** Unbuffered, so that output is live; UTF-8 in every locale. */
const python = ['python3', '-u', '-X', 'utf8'] as const

const runners = new Map<string, readonly [string, ...string[]]>([
  ['script.js', node],
  ['script.mjs', node],
  ['script.cjs', node],
  ['script.py', python],
])
const expected = 'script.js, script.py or one executable file'

/** Finds the command that runs the script in a folder: Node, Python, or the executable itself. */
export async function findProgram(folder: string): Promise<FoundProgram> {
  const names = (await readdir(folder)).filter((name) => name !== 'tool.json').sort()
  const known = [...runners].find(([name]) => names.includes(name))
  if (known !== undefined) return await readable(join(folder, known[0]), known[1])
  const executables: string[] = []
  for (const name of names) if (await isExecutable(join(folder, name))) executables.push(name)
  const isScript = (name: string): boolean => /^script(\.|$)/.test(name)
  const named = executables.filter(isScript)
  const candidates = named.length > 0 ? named : executables
  if (candidates.length === 1) return { argv: [join(folder, candidates[0]!)] }
  if (candidates.length > 1) {
    return {
      file: folder,
      problem: `expected ${expected}, got several executable files: ${candidates.join(', ')}`,
    }
  }
  const script = names.find(isScript)
  if (script === undefined) return { file: folder, problem: `has no script; expected ${expected}` }
  return { file: join(folder, script), problem: `is not executable; run: chmod +x ${script}` }
}

async function readable(file: string, runner: readonly [string, ...string[]]): Promise<FoundProgram> {
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

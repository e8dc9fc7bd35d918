import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { UsageError } from '../command.ts'
import { starterRoot } from '../starter-root.ts'

export interface StarterFile {
  readonly name: string
  readonly text: string
  readonly executable?: true
}

export interface Starter {
  /** The path below `extensions`, which must not exist yet. */
  readonly place: readonly string[]
  /** In that folder; with an empty name, `place` is the file itself. */
  readonly files: readonly StarterFile[]
  /** The command that calls it. */
  readonly call: string
  /** Steps before the first call, one per line. */
  readonly before?: readonly string[]
  /** Calls change something, so the output does not suggest trying it. */
  readonly changes?: boolean
}

/** Writes a tool's files into the project's `.curfew`, or the user's folder, and returns the next steps to print. */
export async function writeStarter(starter: Starter, forUser: boolean): Promise<string> {
  const { place, files, call, before = [], changes = false } = starter
  const root = starterRoot(forUser)
  const target = join(root.path, 'extensions', ...place)
  if (existsSync(target)) throw new UsageError(`curfew new: ${target} already exists; choose another name`)
  await root.prepare()
  const paths = files.map((file) => join(target, file.name))
  for (const [index, { text, executable }] of files.entries()) {
    const folder = dirname(paths[index]!)
    mkdirSync(folder, { recursive: true })
    if (!realpathSync(folder).startsWith(realpathSync(root.path)))
      throw new UsageError(`curfew new: ${folder} links outside of ${root.path}; nothing was written`)
    writeFileSync(paths[index]!, text, { mode: executable ? 0o755 : 0o644, flag: 'wx' })
  }
  const created = `created ${paths.map((path) => relative(process.cwd(), path)).join(' and ')}`
  const next = root.usable
    ? `${changes ? 'call it with' : 'try it with'}: ${call}`
    : `this project is not trusted yet; review its files, then run: curfew trust && ${call}`
  return `${[created, ...before, next].join('\n')}\n`
}

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { configRoots, setTrust } from '@curfew/core/extensions'
import { UsageError } from '../command.ts'

export interface StarterFile {
  readonly name: string
  readonly text: string
  readonly executable?: true
}

export interface Starter {
  /** Below `extensions`; must not exist yet. */
  readonly place: readonly string[]
  /** In that folder; without any name, that file. */
  readonly files: readonly StarterFile[]
  /** How to try it. */
  readonly call: string
}

/** Writes a tool's files into the project's `.curfew`, or the user's folder, and says what comes next. */
export function writeStarter({ place, files, call }: Starter, forUser: boolean): string {
  const { user, project } = configRoots()
  const root = forUser ? user : (project?.path ?? join(process.cwd(), '.curfew'))
  const target = join(root, 'extensions', ...place)
  if (existsSync(target)) throw new UsageError(`curfew new: ${target} exists already; choose another name`)
  const paths = files.map((file) => join(target, file.name))
  for (const [index, { text, executable }] of files.entries()) {
    mkdirSync(dirname(paths[index]!), { recursive: true })
    writeFileSync(paths[index]!, text, { mode: executable ? 0o755 : 0o644, flag: 'wx' })
  }
  // Who makes a project's folder need not be asked whether to trust it.
  if (!forUser && project === null) setTrust(user, root, true)
  const usable = forUser || project === null || project.trusted
  const made = `made ${paths.map((path) => relative(process.cwd(), path)).join(' and ')}`
  const next = usable
    ? `try it: ${call}`
    : `this project is not trusted yet; look at it, then: curfew trust && ${call}`
  return `${made}\n${next}\n`
}

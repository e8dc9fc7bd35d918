import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isTrusted } from './trust.ts'

export interface ConfigRoots {
  /** `$XDG_CONFIG_HOME/curfew`; may not exist. */
  readonly user: string
  /** The nearest `.curfew` at or above the working directory. */
  readonly project: ProjectRoot | null
}

export interface ProjectRoot {
  readonly path: string
  /** Its files can run commands, so they are ignored until somebody said that they may. */
  readonly trusted: boolean
}

export interface Surroundings {
  /** @default process.cwd() */
  readonly cwd?: string | undefined
  /** @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
}

/** Where configuration is looked for. */
export function configRoots({ cwd = process.cwd(), env = process.env }: Surroundings = {}): ConfigRoots {
  const user = userRoot(env)
  const path = findProject(resolve(cwd))
  return {
    user,
    project: path === null ? null : { path, trusted: env.CURFEW_TRUST === '1' || isTrusted(user, path) },
  }
}

function userRoot(env: Readonly<NodeJS.ProcessEnv>): string {
  const { XDG_CONFIG_HOME: xdg, HOME: home } = env
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'curfew')
  return join(home !== undefined && isAbsolute(home) ? home : homedir(), '.config', 'curfew')
}

/** Its real path: trust in a link must not outlive where it points to. */
function findProject(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, '.curfew')
    if (isDirectory(candidate)) return realpathSync(candidate)
    if (folder === dirname(folder)) return null
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

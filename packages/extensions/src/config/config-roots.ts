import { realpathSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { CurfewError } from '@curfew/core'
import { attempt, otherOwner } from '@curfew/core/internal'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'
import { trustedProjects } from './trust.ts'

export interface ConfigRoots {
  /** `$XDG_CONFIG_HOME/curfew`; may not exist. */
  readonly user: string
  /** The nearest `.curfew` at or above the working directory. */
  readonly project: ProjectRoot | null
  /** The real path of the folder with that `.curfew`, or of the working directory. Remembered answers belong to it. */
  readonly projectFolder: string
  /** Why nothing that the project allows is used, for example because the user's default is `deny`; set when the configuration is loaded. */
  readonly projectAllowIgnored?: string | null | undefined
  /** Set if the list of trusted projects cannot be read. */
  readonly problems: readonly ConfigProblem[]
}

export interface ProjectRoot {
  readonly path: string
  /** A project's files can run commands, so they are ignored until the user trusts the project. */
  readonly trusted: boolean
}

export interface ConfigContext {
  /** @default process.cwd() */
  readonly cwd?: string | undefined
  /** @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
}

/** Finds the folders that contain configuration. */
export function configRoots({ cwd = process.cwd(), env = process.env }: ConfigContext = {}): ConfigRoots {
  const user = userRoot(env)
  const { found, problems } = findProject(resolve(cwd))
  const projectFolder = realFolder(found?.folder ?? cwd) ?? resolve(cwd)
  if (found === null) return { user, project: null, projectFolder, problems }
  const { path } = found
  if (env.CURFEW_TRUST === '1') return { user, project: { path, trusted: true }, projectFolder, problems }
  try {
    const trusted = trustedProjects(user).includes(path)
    return { user, project: { path, trusted }, projectFolder, problems }
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    problems.push(configError(error.field!, null, error.problem))
    return { user, project: { path, trusted: false }, projectFolder, problems }
  }
}

/** The same folders, with the current trust in the project. If that cannot be read, it is what it was. */
export function refreshTrust(
  roots: ConfigRoots,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): ConfigRoots {
  const { user, project } = roots
  if (project === null || env.CURFEW_TRUST === '1') return roots
  return attempt(
    () => ({ ...roots, project: { ...project, trusted: trustedProjects(user).includes(project.path) } }),
    roots,
  )
}

/** Always absolute: a project could put files into a relative path. */
function userRoot(env: Readonly<NodeJS.ProcessEnv>): string {
  const { XDG_CONFIG_HOME: xdg } = env
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'curfew')
  return join(homeFolder(env), '.config', 'curfew')
}

/** Always absolute, also if `HOME` is empty. */
export function homeFolder(env: Readonly<NodeJS.ProcessEnv>): string {
  return [env.HOME, homedir(), userHome()].find((path) => path !== undefined && isAbsolute(path)) ?? '/'
}

function userHome(): string | undefined {
  return attempt(() => userInfo().homedir, undefined)
}

interface FoundProject {
  /** The real path, so that trusting a symbolic link does not trust its later targets. */
  readonly path: string
  /** Contains the `.curfew`. */
  readonly folder: string
}

function findProject(from: string): { found: FoundProject | null; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = []
  for (let folder = from; ; folder = dirname(folder)) {
    const named = join(folder, '.curfew')
    const path = realFolder(named)
    const owner = path === null ? null : otherOwner(named)
    if (path !== null && owner === null) return { found: { path, folder }, problems }
    if (owner !== null) problems.push(configWarning(named, null, `is ignored: ${owner}`))
    if (folder === dirname(folder)) return { found: null, problems }
  }
}

/** The real path of a folder; `null` if it does not exist or is not accessible. */
export function realFolder(path: string): string | null {
  return attempt(() => (statSync(path).isDirectory() ? realpathSync(path) : null), null)
}

import { createHash } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ensureFolder,
  findProjectGit,
  type GitCommand,
  isOwnFolder,
  PrivateGit,
  type ProjectGit,
} from '@curfew/core/internal'
import { excludeRules } from './exclude-rules.ts'

/** All workspaces, in one folder each. */
export function checkpointsFolder(stateFolder: string): string {
  return join(stateFolder, 'checkpoints')
}

type Command = Pick<GitCommand, 'args' | 'signal' | 'input' | 'okExitCodes'> & {
  readonly index?: string
  readonly workTree?: string
}

/** The repository that keeps the files of one workspace. The project's own repository is never changed. */
export class ShadowRepository {
  /** The real path of the workspace. */
  readonly root: string
  readonly folder: string
  readonly gitFolder: string
  readonly #stateFolder: string
  #git: PrivateGit | null = null

  constructor(stateFolder: string, root: string) {
    const hash = createHash('sha256').update(root).digest('hex').slice(0, 16)
    this.root = root
    this.folder = join(checkpointsFolder(stateFolder), hash)
    this.gitFolder = join(this.folder, 'git')
    this.#stateFolder = stateFolder
  }

  get index(): string {
    return join(this.folder, 'index')
  }

  /** Creates the folder itself. Must come first: the lock is inside of it. */
  async prepareFolder(): Promise<void> {
    await ensureFolder(this.#stateFolder)
    for (const path of [checkpointsFolder(this.#stateFolder), this.folder]) {
      await ensureFolder(path)
      if (!(await isOwnFolder(path)))
        throw new Error(`${path}: expected a folder of this user, not a symbolic link; remove it`)
      await chmod(path, 0o700)
    }
  }

  /** Prepares git. Every time, so that nothing that was changed in its folder has an effect. Only while the workspace is locked. */
  async prepare(): Promise<void> {
    this.#git = await PrivateGit.open(this.gitFolder)
  }

  /** Updates the rules of what is ignored. Returns the project's own repository. */
  async prepareSnapshot(): Promise<ProjectGit | null> {
    const project = findProjectGit(this.root)
    await this.#git!.exclude(excludeRules(this.root, this.#stateFolder, project))
    return project
  }

  async git({ index = this.index, workTree = this.root, ...command }: Command): Promise<Buffer> {
    return await this.#git!.run({ ...command, index, workTree })
  }
}

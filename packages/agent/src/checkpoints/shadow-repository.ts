import { createHash } from 'node:crypto'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureFolder, isOwnFolder } from '@curfew/core/internal'
import { excludeRules } from './exclude-rules.ts'
import { findProjectGit, type ProjectGit } from './project-git.ts'
import { type GitOptions, runGit } from './run-git.ts'

/** All workspaces, in one folder each. */
export function checkpointsFolder(stateFolder: string): string {
  return join(stateFolder, 'checkpoints')
}

type GitCommand = Pick<GitOptions, 'args' | 'signal' | 'input' | 'okExitCodes'> & {
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

  /** Creates what is missing, accessible only to us. Returns the project's own repository. */
  async prepare(): Promise<ProjectGit | null> {
    const project = await findProjectGit(this.root)
    const { gitFolder } = this
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
      await ensureFolder(join(gitFolder, name))
    // Every time, so that nothing that was changed in it has an effect.
    await replaceIfChanged(join(gitFolder, 'HEAD'), 'ref: refs/heads/none\n')
    await replaceIfChanged(join(gitFolder, 'config'), config)
    await replaceIfChanged(join(gitFolder, 'info', 'attributes'), attributes)
    await rm(join(gitFolder, 'objects', 'info', 'alternates'), { force: true })
    const exclude = await excludeRules(this.root, this.#stateFolder, project)
    await replaceIfChanged(join(gitFolder, 'info', 'exclude'), exclude)
    return project
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

  async git({ args, index = this.index, workTree = this.root, ...command }: GitCommand): Promise<Buffer> {
    return await runGit({
      ...command,
      // git limits some commands to the current folder, if that is inside of the work tree.
      args: ['-C', workTree, ...args],
      cwd: this.folder,
      env: {
        // Neither the user's nor the system's configuration may run programs or change bytes.
        HOME: this.folder,
        XDG_CONFIG_HOME: this.folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_ATTR_NOSYSTEM: '1',
        GIT_NO_REPLACE_OBJECTS: '1',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
        LC_ALL: 'C',
        GIT_DIR: this.gitFolder,
        GIT_WORK_TREE: workTree,
        GIT_INDEX_FILE: index,
      },
    })
  }
}

const isWindows = process.platform === 'win32'
const ignoresCase = isWindows || process.platform === 'darwin'

/** Bytes, executable bits and links are stored exactly, and nothing runs or is cleaned up on its own. */
const config = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = ${!isWindows}
	symlinks = ${!isWindows}
	ignorecase = ${ignoresCase}
	precomposeunicode = false
	autocrlf = false
	safecrlf = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	fsmonitor = false
	untrackedCache = false
	protectHFS = false
	protectNTFS = ${isWindows}
	compression = 1
	looseCompression = 1
[gc]
	auto = 0
[maintenance]
	auto = false
`

/** Overrides every `.gitattributes` file. */
const attributes = '* -text -filter -ident !working-tree-encoding\n'

async function replaceIfChanged(path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'latin1')
  const current = await readFile(path).catch(() => null)
  if (current?.equals(bytes)) return
  await writeFile(`${path}.new`, bytes, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

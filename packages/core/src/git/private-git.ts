import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureFolder } from '../files/own-files.ts'
import { ownProgram } from '../process/own-program.ts'
import { startProcess } from '../process/run-process.ts'
import { releaseFifos } from './release-fifos.ts'

export interface GitCommand {
  readonly args: readonly string[]
  readonly index: string
  /** The folder with the files. Nothing in it is used as configuration. */
  readonly workTree: string
  readonly signal: AbortSignal
  readonly input?: Buffer | undefined
  /** Besides 0. */
  readonly okExitCodes?: readonly number[] | undefined
}

export class GitMissingError extends Error {
  constructor() {
    super('git is not installed')
    this.name = 'GitMissingError'
  }
}

/** More than all paths of a large workspace, and more than one group of files that is restored. */
const maxOutputBytes = 256 * 2 ** 20
const maxMessageLength = 500

/**
 * Git with a repository of our own. A project's repository is never opened, because its configuration can name programs: hooks, filters,
 * a file system monitor. There is no other way to run git, except `runApprovedGit`.
 */
export class PrivateGit {
  /** `GIT_DIR`. */
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Creates what is missing, and replaces what was changed in its configuration. Its parent folder must not be the workspace. */
  static async open(folder: string): Promise<PrivateGit> {
    for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'info'])
      await ensureFolder(join(folder, name))
    const git = new PrivateGit(folder)
    await git.#write('HEAD', 'ref: refs/heads/none\n')
    await git.#write('config', config)
    await git.#write('info/attributes', attributes)
    await rm(join(folder, 'objects', 'info', 'alternates'), { force: true })
    return git
  }

  /** Ignore rules, in which every character stands for one byte. */
  async exclude(rules: string): Promise<void> {
    await this.#write('info/exclude', rules)
  }

  /** Returns the output. Throws the reason of the signal if that was aborted. */
  async run({ args, index, workTree, signal, input, okExitCodes = [] }: GitCommand): Promise<Buffer> {
    signal.throwIfAborted()
    const chunks: Buffer[] = []
    let bytes = 0
    const tooLong = new AbortController()
    const running = startProcess({
      // git limits some commands to the current folder, if that is inside of the work tree.
      argv: [ownProgram('git'), '-C', workTree, ...args],
      cwd: dirname(this.folder),
      env: { ...environment(this.folder), GIT_WORK_TREE: workTree, GIT_INDEX_FILE: index },
      stdin: input === undefined ? 'empty' : 'pipe',
      maxOutputBytes: 8_192,
      signal: AbortSignal.any([signal, tooLong.signal]),
      onOutput: (chunk, stream) => {
        if (stream === 'stderr') return
        bytes += chunk.length
        if (bytes > maxOutputBytes) tooLong.abort()
        else chunks.push(Buffer.from(chunk))
      },
    })
    if (input !== undefined) running.stdin?.end(input)
    const release = releaseFifos(workTree)
    const { outcome, exitCode, signal: endedBy, stderr, error } = await running.result.finally(release.stop)
    signal.throwIfAborted()
    if (error?.code === 'ENOENT') throw new GitMissingError()
    const name = args.find((arg) => /^[a-z]+-/.test(arg))
    if (tooLong.signal.aborted) throw new Error(`git ${name} printed more than ${maxOutputBytes} bytes`)
    if (outcome !== 'exited' || exitCode === null || ![0, ...okExitCodes].includes(exitCode)) {
      const message = stderr.toString().trim().slice(0, maxMessageLength)
      throw new Error(
        `git ${name} failed: ${message || (error?.message ?? endedBy ?? `exit code ${exitCode}`)}`,
      )
    }
    return Buffer.concat(chunks)
  }

  async #write(name: string, text: string): Promise<void> {
    const path = join(this.folder, name)
    const bytes = Buffer.from(text, 'latin1')
    const current = await readFile(path).catch(() => null)
    if (current?.equals(bytes)) return
    await writeFile(`${path}.new`, bytes, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
}

/** Neither the user's nor the system's configuration may run programs or change bytes. */
function environment(folder: string): Record<string, string> {
  return {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    GIT_DIR: folder,
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

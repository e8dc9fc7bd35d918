import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CheckpointOptions, type Checkpoints, createCheckpoints } from '@curfew/agent/tools'
import { onTestFinished } from 'vitest'

/** A workspace with its checkpoints. */
export function openWorkspace(options: Partial<CheckpointOptions> = {}) {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'checkpoints-'))
  const root = join(base, 'project')
  const folder = join(base, 'state')
  mkdirSync(root)
  const notices: string[] = []
  const checkpoints = createCheckpoints({
    root,
    folder,
    conversation: 'test',
    isSecret: (path) => /\/\.env/.test(path),
    onNotice: (message) => notices.push(message),
    ...options,
  })
  onTestFinished(async () => {
    await checkpoints.close()
    rmSync(base, { recursive: true, force: true })
  })
  return { base, root, folder, notices, checkpoints, ...actions(root, checkpoints) }
}

export function actions(root: string, checkpoints: Checkpoints) {
  const { signal } = new AbortController()
  /** Returns the number of the checkpoint. */
  const take = async (): Promise<number> => {
    await checkpoints.take({ position: 0, followedBy: ['write_file'], signal })
    return (await checkpoints.list())[0]!.number
  }
  const plan = (number: number) => checkpoints.plan(number, { signal })
  const restore = async (number: number) =>
    checkpoints.restore(await plan(number), { position: 0, followedBy: ['/restore'], signal })
  const write = (path: string, content: string | Buffer, mode?: number): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    if (mode !== undefined) chmodSync(join(root, path), mode)
  }
  const link = (path: string, target: string): void => symlinkSync(target, join(root, path))
  const remove = (path: string): void => rmSync(join(root, path), { recursive: true })
  return { take, plan, restore, write, link, remove, files: () => readTree(root) }
}

/** Every file and link below a folder, with content and executable bit; folders are not listed. Names are bytes. */
export function readTree(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (folder: Buffer, prefix: string): void => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), name])
      const shown = prefix + name.toString('latin1')
      const stats = lstatSync(path)
      if (stats.isDirectory()) visit(path, `${shown}/`)
      else if (stats.isSymbolicLink()) found[shown] = `link ${readlinkSync(path, 'latin1')}`
      else if (stats.isFile())
        found[shown] =
          `${stats.mode & 0o100 ? 'executable' : 'file'} ${readFileSync(path).toString('latin1')}`
      else found[shown] = 'special'
    }
  }
  visit(Buffer.from(root), '')
  return found
}

/** Runs git in a folder, as a person would. */
export function git(folder: string, ...args: string[]): string {
  const identity = {
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  return execFileSync('git', args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...identity },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

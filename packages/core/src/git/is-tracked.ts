import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { readSmallFileIfAny } from '../files/read-small-file.ts'
import { PrivateGit } from './private-git.ts'
import { findProjectGit } from './project-git.ts'

/** Far more than that of the Linux kernel. */
export const maxIndexBytes: number = 128 * 2 ** 20

/** Tells whether the project's repository contains a file. False if that cannot be determined, such as without git. */
export async function isTracked(file: string, signal: AbortSignal): Promise<boolean> {
  const project = findProjectGit(dirname(file))
  const bytes = project === null ? null : readSmallFileIfAny(project.index, maxIndexBytes)
  if (project === null || bytes === null) return false
  const folder = await mkdtemp(join(tmpdir(), 'curfew-git-'))
  try {
    const git = await PrivateGit.open(join(folder, 'git'))
    const index = join(folder, 'index')
    await writeFile(index, bytes, { mode: 0o600 })
    const args = ['ls-files', '--cached', '-z', '--', `:(literal)${relative(project.top, file)}`]
    return (await git.run({ args, index, workTree: project.top, signal })).length > 0
  } catch {
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

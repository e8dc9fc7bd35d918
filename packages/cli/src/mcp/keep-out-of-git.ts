import { spawnSync } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Has git ignore a file of a project's `.curfew`, since what is private stands in it. Returns what a person should know. */
export async function keepOutOfGit(file: string): Promise<string[]> {
  const folder = dirname(file)
  const ignore = join(folder, '.gitignore')
  const name = basename(file)
  const text = await readFile(ignore, 'utf8').catch(() => '')
  if (!text.split(/\r?\n/).some((line) => line.trim() === name || line.trim() === '*'))
    await appendFile(ignore, `${text === '' || text.endsWith('\n') ? '' : '\n'}${name}\n`)
  const { status } = spawnSync('git', ['ls-files', '--error-unmatch', name], { cwd: folder, stdio: 'ignore' })
  return status === 0 ? [`git has ${name} already; take it out: git rm --cached .curfew/${name}`] : []
}

import { appendFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isTracked, readSmallFileIfAny } from '@curfew/core/internal'

const maxIgnoreBytes = 1 << 20
const maxGitMs = 10_000

/** Adds a private file in a project's `.curfew` to its `.gitignore`. Returns hints to print. */
export async function keepOutOfGit(file: string): Promise<string[]> {
  const folder = dirname(file)
  const ignore = join(folder, '.gitignore')
  const name = basename(file)
  const text = readSmallFileIfAny(ignore, maxIgnoreBytes)?.toString() ?? ''
  if (!isIgnored(name, text))
    await appendFile(ignore, `${text === '' || text.endsWith('\n') ? '' : '\n'}${name}\n`)
  return (await isTracked(await realpath(file), AbortSignal.timeout(maxGitMs)))
    ? [`${name} is already tracked by git; untrack it: git rm --cached .curfew/${name}`]
    : []
}

/** The last matching pattern decides; `!mcp.json` after `*` includes the file again. */
function isIgnored(name: string, patterns: string): boolean {
  const last = patterns
    .split(/\r?\n/)
    .map((line) => line.trim())
    .findLast((line) => [name, '*', '*.json'].includes(line.replace(/^!?\/?/, '')))
  return last !== undefined && !last.startsWith('!')
}

import { homedir } from 'node:os'
import { isAbsolute, join, relative, sep } from 'node:path'
import { type ProjectGit, readSmallFileIfAny } from '@curfew/core/internal'
import { moveIgnoreRules } from './move-ignore-rules.ts'

const maxRulesBytes = 2 ** 20

/** The name of files that are being restored starts with it. */
export const temporaryPrefix = '.curfew-restore-'

/**
 * What is ignored in addition to the `.gitignore` files of the workspace: the user's rules, those of the project's repository, those of
 * folders around the root, and our own files. A later rule overrides an earlier one, as in git. Every character is one byte.
 */
export function excludeRules(root: string, stateFolder: string, project: ProjectGit | null): string {
  const { XDG_CONFIG_HOME: xdg } = process.env
  const config = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.config')
  const rules = [read(join(config, 'git', 'ignore'))]
  if (project !== null) {
    const folders = relative(project.top, root).split(sep).filter(Boolean)
    const below = folders.map(bytesOf)
    rules.push(moveIgnoreRules(read(project.exclude), below))
    for (const depth of folders.keys()) {
      const file = join(project.top, ...folders.slice(0, depth), '.gitignore')
      rules.push(moveIgnoreRules(read(file), below.slice(depth)))
    }
  }
  rules.push(`${temporaryPrefix}*`)
  const state = relative(root, stateFolder)
  if (state !== '' && !/^\.\.([/\\]|$)/.test(state) && !isAbsolute(state))
    rules.push(`/${bytesOf(state.split(sep).join('/')).replace(/[\\*?[\]]/g, '\\$&')}/`)
  return `${rules.join('\n')}\n`
}

/** Rules are bytes, too. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function read(path: string): string {
  return readSmallFileIfAny(path, maxRulesBytes)?.toString('latin1') ?? ''
}

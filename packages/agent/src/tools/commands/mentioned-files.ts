import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Restriction } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'

/** More words are hardly typed by anyone; looking each of them up takes time. */
const maxWords = 1_000
const maxWordLength = 4_096

/**
 * A command that mentions a file with permissions, hooks or secrets needs the approval of a person, whatever rules allow. It finds
 * what is written out, not what a command computes: it is no sandbox.
 */
export function restrictMentioned(workspace: Workspace, command: string, cwd: string): Restriction | null {
  const words = new Set(command.split(/[\s;|&()<>`'"$=:,]+/).filter(isHidden))
  for (const word of [...words].slice(0, maxWords)) {
    const path = word.startsWith('~/') ? join(homedir(), word.slice(2)) : join(cwd, word)
    const { shownPath, secret, protected: reason } = workspace.locate(word.startsWith('/') ? word : path)
    if (secret !== null)
      return ask(`the command mentions ${shownPath}, which may contain secrets (${secret} in secretFiles)`)
    if (reason !== null) return ask(`the command mentions ${shownPath}, which is protected: ${reason}`)
  }
  return null
}

/** Files with permissions and secrets have names with a dot. `.git` itself is often excluded from searches. */
function isHidden(word: string): boolean {
  return /(^|\/)\.[^./]/.test(word) && !/[*?[\]{}]|(^|\/)\.git\/?$/.test(word) && word.length <= maxWordLength
}

function ask(reason: string): Restriction {
  return { verdict: 'ask', reason }
}

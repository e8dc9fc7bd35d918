import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CurfewError, type Restriction, type ToolContext } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { expandHiddenGlob } from './expand-hidden-glob.ts'

/** A longer command is not checked, so a person has to read it. Looking each word up takes time. */
const maxWords = 5_000
const maxWordLength = 4_096

/**
 * A command that mentions a file with permissions, hooks or secrets needs the approval of a person, whatever rules allow. It finds
 * what is written out, not what a command computes: it is no sandbox.
 */
export function restrictMentioned(workspace: Workspace, command: string, cwd: string): Restriction | null {
  const program = permissionPrograms.find(({ pattern }) => pattern.test(unquoted(command)))
  if (program !== undefined) return ask(program.reason)
  const words = wordsOf(command)
  if (words.size > maxWords)
    return ask(`the command has more than ${maxWords} words, too many to check which files it mentions`)
  // In a project such as ~/.config/nvim, everything would be mentioned.
  const { protected: ofRoot } = workspace.locate(workspace.root)
  const entersGit = intoGit.test(command)
  for (const word of words) {
    const hidden = isHidden(word)
    if (isHead(word) || (isGitFolder(word) && !entersGit)) continue
    for (const path of hidden ? expandHiddenGlob(absolute(word, cwd)) : [absolute(word, cwd)]) {
      const { shownPath, realPath, secret, protected: reason } = workspace.locate(path)
      // A word without a dot may be anything; a file that does not exist has no secrets.
      if (secret !== null && (hidden || existsSync(realPath)))
        return ask(`the command mentions ${shownPath}, which may contain secrets (${secret} in secretFiles)`)
      if (reason !== null && (hidden || reason !== ofRoot))
        return ask(`the command mentions ${shownPath}, which is protected: ${reason}`)
    }
  }
  return null
}

/** Throws `DENIED` if a restriction applies that did not when the call was approved: an earlier call may have created a link. */
export function assertApproved(
  now: Restriction | null,
  { restriction }: Pick<ToolContext, 'restriction'>,
): void {
  if (now === null || (now.verdict === 'ask' && now.reason === restriction)) return
  const message = `${now.reason}. That requires the approval of a person, and was not so when the call was approved`
  throw new CurfewError('DENIED', message, { hadNoEffect: true })
}

/** Programs that change permissions without a file being named. */
const permissionPrograms: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /(?:^|[\s;|&(/])curfew\s(?:[^;|&\n]*\s)?(?:approvals|config|init|mcp|secret|trust)(?:\s|$)/,
    reason: "the command changes Curfew's permissions, tools, servers or secrets",
  },
  {
    pattern:
      /(?:^|[\s;|&(/])git\s(?:[^;|&\n]*\s)?config\s(?!(?:[^;|&\n]*\s)?(?:--get\S*|--list|-l|get|list)(?:\s|$))/,
    reason: "the command changes git's configuration, which names commands that git runs",
  },
]

/** The words of a command, as they are in quotes and as the shell would join them. */
function wordsOf(command: string): ReadonlySet<string> {
  const found = [
    ...command.split(/[\s;|&()<>`'"$=:,@!{}]+/),
    ...unquoted(command).split(/[\s;|&()<>`$=:@!]+/),
  ]
  const words = new Set(found.flatMap((word) => (word.startsWith('-') ? [word.slice(2)] : [word])))
  words.delete('')
  for (const word of words) if (word.length > maxWordLength) words.delete(word)
  return words
}

function unquoted(command: string): string {
  return command.replace(/\\\n/g, '').replace(/["'\\]/g, '')
}

function absolute(word: string, cwd: string): string {
  if (word.startsWith('~/')) return join(homedir(), word.slice(2))
  return word.startsWith('/') ? word : join(cwd, word)
}

/** Most files with permissions and secrets have names with a dot. */
function isHidden(word: string): boolean {
  return /(^|\/)\.[^./]/.test(word)
}

/** `.git` itself is often excluded from searches. */
function isGitFolder(word: string): boolean {
  return /(^|\/)\.git\/?$/.test(word)
}

/** The folder is entered, moved or replaced. */
const intoGit = /(?:^|[\s;|&(])(?:cd|pushd|mv|ln|cp|rm|rsync|tar|-C)\s[^;|&\n]*\.git(?:[\s/;|&)"']|$)/

/** Git's name for the current commit, or a program. */
function isHead(word: string): boolean {
  return /(^|\/)head([~^].*)?$/i.test(word)
}

function ask(reason: string): Restriction {
  return { verdict: 'ask', reason }
}

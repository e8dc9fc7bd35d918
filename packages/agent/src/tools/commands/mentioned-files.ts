import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CurfewError, type Restriction, type ToolContext } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { expandBraces, expandHiddenGlob } from './expand-hidden-glob.ts'

/** A longer command is not checked, so a person has to read it. Looking each word up takes time. */
const maxWords = 5_000
const maxWordLength = 4_096

/**
 * A command that mentions a file with permissions, hooks or secrets needs the approval of a person, whatever rules allow. It finds
 * what is written out, not what a command computes: it is no sandbox.
 */
export function restrictMentioned(workspace: Workspace, command: string, cwd: string): Restriction | null {
  const own = wordsOf(command.replace(/\bgit-config\b/g, 'git config').replace(harmlessGit, ' '))
  const found = wordsOf(command.replace(exclusion, ' '))
  const words = new Set([...(found ?? [])].flatMap(withOptionValues))
  if (own === null || found === null || words.size > maxWords)
    return ask(`the command has more than ${maxWords} words, too many to check which files it mentions`)
  for (const { program, commands, reason } of permissionPrograms)
    if (commands.some((name) => own.has(name)) && [...own].some((word) => program.test(word)))
      return ask(reason)
  // In a project such as ~/.config/nvim, everything would be mentioned.
  const { protected: ofRoot } = workspace.locate(workspace.root)
  for (const word of words) {
    if (word.length > maxWordLength || isHead(word)) continue
    const hidden = isHidden(word)
    const paths = expandHiddenGlob(absolute(word, cwd))
    if (paths === null) return ask(`the command mentions more files than can be checked: ${word}`)
    for (const path of paths) {
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

/** The commands of Curfew that change what it allows. */
export const permissionCommands: readonly string[] = [
  'approvals',
  'config',
  'init',
  'mcp',
  'new',
  'secret',
  'trust',
]

/** Programs that change permissions without a file being named. */
const permissionPrograms = [
  {
    program: /(^|\/)curfew([./]|$)/i,
    commands: permissionCommands,
    reason: "the command changes Curfew's permissions, tools, servers or secrets",
  },
  {
    program: /(^|\/)git(\.exe)?$/i,
    commands: ['config'],
    reason: "the command changes git's configuration, which names commands that git runs",
  },
]

/** Git with another subcommand, whose arguments often contain the word, or reading its configuration. */
const harmlessGit =
  /\bgit\s+(?:config\s+(?:--(?:global|local|system)\s+)?(?:--get[\w-]*|--list|-l|get|list)|(?!(?:git|config)\b)[a-z][\w-]*)(?=[\s;|&)]|$)/g

/** Searches often exclude `.git`, or all names with a dot. */
const exclusion =
  /(?<=\s)(?:--exclude(?:-dir)?|--i?glob|--ignore|-g|-i?name|-i?path|(?<=\btree\b[^;|&\n]{0,200})-I)[\s=]\s*(?:!?(?:\.\/)?\.git\/?|(['"])!?(?:[\w.*-]+\|)*(?:\*{1,2}\/|\.\/)?\.(?:git|\*)(?:\/\*{0,2})?(?:\|[\w.*-]+)*\1)(?=[\s;|&)]|$)/g

/**
 * The words of a command: as they are in quotes, as the shell joins them, and as it expands braces. `null` if there are too many to
 * check.
 */
function wordsOf(command: string): ReadonlySet<string> | null {
  const joined = command.replace(/\\\n/g, '')
  const unquoted = joined.replace(/["'\\]/g, '')
  const masked = joined.replace(/'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]/g, (quoted) =>
    quoted.replace(/^['"\\]|['"]$/g, '').replace(/[^\w./~-]/g, '?'),
  )
  const words = new Set<string>()
  for (const text of [command, unquoted, withoutSets(unquoted), withoutSets(masked)])
    for (const word of text.split(/(?:[\s;|&()<>`'"=:@!]|\$\w*)+/)) {
      const expanded = expandBraces(word, maxWords)
      if (expanded === null || words.size > maxWords) return null
      for (const one of [...expanded, ...word.split(/[{},]+/)]) words.add(one)
    }
  words.delete('')
  return words
}

/** A wildcard in place of each set of characters, such as `[!a]`. Only up to the last `]` of a name: an open set takes long to find. */
function withoutSets(text: string): string {
  return text.replace(/(?<![^\s/;|&()<>`])[^\s/;|&()<>`]*\]/g, (name) =>
    name.replace(/\[[!^]?\]?(?:\[[:.=][^\][]{0,20}\]|[^\]])*\]/g, '?'),
  )
}

/** The value of a short option may follow its letter, or several letters. */
function withOptionValues(word: string): readonly string[] {
  if (!word.startsWith('-') || word.length > maxWordLength) return [word]
  return Array.from(word, (_, index) => word.slice(index))
}

function absolute(word: string, cwd: string): string {
  if (word.startsWith('~/')) return join(homedir(), word.slice(2))
  return word.startsWith('/') ? word : join(cwd, word)
}

/** Most files with permissions and secrets have names with a dot. */
function isHidden(word: string): boolean {
  return /(^|\/)\.[^./]/.test(word)
}

/** Git's name for the current commit, or a program. */
function isHead(word: string): boolean {
  return /^head([~^][^/]*)?$/i.test(word)
}

function ask(reason: string): Restriction {
  return { verdict: 'ask', reason }
}

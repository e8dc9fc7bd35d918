import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { escapeInvisible, nearestName } from '@curfew/core/internal'
import { configRoots } from '@curfew/extensions'
import {
  approvalsFile,
  readApprovals,
  removeApprovals,
  type StoredApproval,
} from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'
import { alignColumns, count, oneLine } from '../terminal.ts'
import { write } from '../write.ts'

interface ListInput {
  readonly all: boolean
  readonly folder: string | undefined
  readonly json: boolean
}

/** `curfew approvals`. Returns the exit code. */
export async function runListApprovals({ all, folder, json }: ListInput): Promise<number> {
  const projects = all ? allProjects() : [oneProject(folder)]
  if (json) write(`${JSON.stringify({ projects })}\n`)
  else write(all ? showAll(projects) : showOne(projects[0]!))
  return 0
}

function oneProject(folder: string | undefined): StoredProject {
  const { project, approvals } = storedProject(folder)
  return { project, approvals }
}

function allProjects(): StoredProject[] {
  const stored = [...readApprovals(approvalsFile(configRoots().user))]
  return stored
    .map(([project, approvals]) => ({ project, approvals }))
    .toSorted((a, b) => (a.project < b.project ? -1 : 1))
}

function showOne({ project, approvals }: StoredProject): string {
  if (approvals.length === 0) return `no answers are remembered for ${oneLine(project)}\n`
  const [titles, ...lines] = alignColumns([['since', 'rule'], ...rows(approvals)])
  return `${styleText('dim', titles!)}\n${lines.map((line) => `${line}\n`).join('')}`
}

function showAll(projects: readonly StoredProject[]): string {
  if (projects.length === 0) return 'no answers are remembered\n'
  return projects
    .map(({ project, approvals }) => {
      const title = `${oneLine(project)}${existsSync(project) ? '' : ' (does not exist)'}`
      return `${[title, ...alignColumns(rows(approvals)).map((line) => `  ${line}`)].join('\n')}\n`
    })
    .join('\n')
}

function rows(approvals: StoredProject['approvals']): string[][] {
  return approvals.map(({ rule, addedAt }) => [addedAt.slice(0, 10), showRule(rule)])
}

export interface StoredProject {
  readonly project: string
  readonly approvals: readonly StoredApproval[]
}

/** The remembered answers of the project that a folder belongs to. A folder that is listed itself may no longer exist. */
export function storedProject(folder: string | undefined): StoredProject & { readonly file: string } {
  const { user, projectFolder } = configRoots()
  const file = approvalsFile(user)
  const stored = readApprovals(file)
  const project = folder === undefined ? projectFolder : findProject(resolve(folder), stored)
  return { file, project, approvals: stored.get(project) ?? [] }
}

function findProject(folder: string, stored: ReturnType<typeof readApprovals>): string {
  return stored.has(folder) ? folder : configRoots({ cwd: folder }).projectFolder
}

/** A rule on one line: arguments may contain line breaks and invisible characters. */
export function showRule(rule: string): string {
  return escapeInvisible(rule).replaceAll('\n', '\\n')
}

interface RemoveInput {
  readonly rules: readonly string[]
  readonly 'all-rules': boolean
  readonly folder: string | undefined
}

/** `curfew approvals remove`. Removes all of the rules or, if one is unknown, none. Returns the exit code. */
export async function runRemoveApprovals(input: RemoveInput): Promise<number> {
  const { rules, 'all-rules': allRules, folder } = input
  if (allRules === rules.length > 0)
    throw new UsageError('curfew approvals remove: expected either RULE or --all-rules')
  const { file, ...stored } = storedProject(folder)
  const found = allRules ? ('all' as const) : rules.flatMap((rule) => findRules(rule, stored))
  const removed = await removeApprovals(file, stored.project, found)
  if (allRules) write(`removed ${count(removed.length, 'answer')} for ${oneLine(stored.project)}\n`)
  else for (const rule of removed) write(`removed ${showRule(rule)}\n`)
  return 0
}

/** The rule itself, or as it is listed. */
function findRules(wanted: string, { project, approvals }: StoredProject): string[] {
  const rules = approvals.map(({ rule }) => rule)
  if (rules.includes(wanted)) return [wanted]
  const listed = rules.filter((rule) => showRule(rule) === wanted)
  if (listed.length > 0) return listed
  const nearest = nearestName(wanted, rules.map(showRule))
  const hint = nearest === undefined ? 'curfew approvals lists the rules' : `did you mean ${nearest}?`
  throw new UsageError(
    `curfew approvals remove: no answer ${JSON.stringify(wanted)} is remembered for ${oneLine(project)}; ${hint}`,
  )
}

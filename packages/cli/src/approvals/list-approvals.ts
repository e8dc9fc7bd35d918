import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import { configRoots } from '@curfew/extensions'
import { approvalsFile, readApprovals } from '@curfew/extensions/internal'
import { alignColumns, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { type StoredProject, showRule, storedProject } from './stored-project.ts'

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

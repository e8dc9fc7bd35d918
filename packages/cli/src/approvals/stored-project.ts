import { resolve } from 'node:path'
import { escapeInvisible } from '@curfew/core/internal'
import { configRoots } from '@curfew/extensions'
import { approvalsFile, readApprovals, type StoredApproval } from '@curfew/extensions/internal'

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

import { nearestName } from '@curfew/core/internal'
import { removeApprovals } from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'
import { count, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import { type StoredProject, showRule, storedProject } from './stored-project.ts'

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

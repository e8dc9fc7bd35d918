import type { Grade } from '@curfew/review'
import { type ReportedFinding, type ReportedSet, severities } from '../review-source.ts'
import type { OldFinding, OldReport, OldServer } from './read-old-report.ts'

/** The differences from an earlier report. */
export interface Comparison {
  /** The file of the earlier report. */
  readonly file: string
  /** Those that differ: tools, and servers as a whole. */
  readonly tools: readonly Change[]
  readonly servers: readonly Change[]
  readonly unchanged: number
}

export interface Change {
  readonly name: string
  readonly kind: 'added' | 'removed' | 'changed'
  /** `null` if it was added. */
  readonly before: Graded | null
  /** `null` if it was removed. */
  readonly after: Graded | null
  readonly newFindings: readonly ReportedFinding[]
  readonly fixedFindings: readonly OldFinding[]
}

interface Graded {
  readonly grade: Grade
  readonly score: number
}

/** Tools are matched by name, because files move. */
export function compareReports(file: string, old: OldReport, sets: readonly ReportedSet[]): Comparison {
  const { changes: tools, unchanged } = compareAll(
    old.tools.map((tool) => ({ ...tool, score: tool.score.overall })),
    sets.flatMap((set) => set.tools).map((tool) => ({ ...tool, score: tool.score.overall })),
  )
  const oldServers = old.servers.filter((server): server is OldServer => server.grade !== undefined)
  const isSame = sets.length === 1 && oldServers.length === 1
  const { changes: servers } = compareAll(
    // A single server may have been renamed, such as its file.
    oldServers.map((server) => (isSame ? { ...server, name: sets[0]!.name } : server)),
    sets.flatMap(({ name, server, findings }) =>
      server === null ? [] : { name, grade: server.grade, score: server.score, findings, suppressed: [] },
    ),
  )
  return { file, tools, servers, unchanged }
}

/** The findings that the earlier report does not contain. */
export function newFindingsOf({ tools, servers }: Comparison): ReadonlySet<ReportedFinding> {
  return new Set([...servers, ...tools].flatMap(({ newFindings }) => newFindings))
}

interface Comparable extends Graded {
  readonly name: string
  readonly findings: readonly ReportedFinding[]
  readonly suppressed: readonly { readonly finding: ReportedFinding }[]
}

function compareAll(
  before: readonly (Graded & Pick<OldServer, 'name' | 'findings'>)[],
  after: readonly Comparable[],
): { readonly changes: Change[]; readonly unchanged: number } {
  const changes: Change[] = []
  let unchanged = 0
  // A list can contain a name twice: the first is compared with the first.
  const waiting = new Map<string, (typeof before)[number][]>()
  for (const then of before) waiting.set(then.name, [...(waiting.get(then.name) ?? []), then])
  for (const now of after) {
    const then = waiting.get(now.name)?.shift()
    if (then === undefined) {
      changes.push({ ...sides(null, now), kind: 'added', newFindings: now.findings, fixedFindings: [] })
      continue
    }
    const { added, fixed } = compareFindings(then.findings, now)
    if (added.length + fixed.length > 0 || then.grade !== now.grade || then.score !== now.score)
      changes.push({ ...sides(then, now), kind: 'changed', newFindings: added, fixedFindings: fixed })
    else unchanged++
  }
  for (const then of [...waiting.values()].flat())
    changes.push({ ...sides(then, null), kind: 'removed', newFindings: [], fixedFindings: [] })
  return { changes, unchanged }
}

type Named = Graded & { readonly name: string }

function sides(before: Named | null, after: Named | null): Pick<Change, 'name' | 'before' | 'after'> {
  return {
    name: (after ?? before)!.name,
    before: before && { grade: before.grade, score: before.score },
    after: after && { grade: after.grade, score: after.score },
  }
}

/** A finding is the same if its rule and its position or message are, and it is neither worse nor about more than before. */
function compareFindings(
  before: readonly OldFinding[],
  { findings, suppressed }: Comparable,
): { readonly added: ReportedFinding[]; readonly fixed: OldFinding[] } {
  const remaining = [...before]
  const take = (finding: ReportedFinding): OldFinding | undefined => {
    const same = remaining.filter(({ rule }) => rule === finding.rule)
    const found =
      same.find(({ pointer }) => pointer === finding.pointer) ??
      same.find(({ message }) => message === finding.message)
    if (found !== undefined) remaining.splice(remaining.indexOf(found), 1)
    return found
  }
  const added = findings.filter((finding) => {
    const found = take(finding)
    if (found === undefined || severities.indexOf(finding.severity) < severities.indexOf(found.severity))
      return true
    // Several places are one finding, which is new if there are more of them, or if the quoted words are others.
    return (
      finding.message !== found.message &&
      (finding.count > found.count || finding.rule === 'agent-instruction')
    )
  })
  // What is suppressed now has not been fixed.
  for (const { finding } of suppressed) take(finding)
  return { added, fixed: remaining }
}

import { type Report, totalsOf } from './report.ts'
import type { ReportedFinding, ReportedTool } from './review-source.ts'

/** For programs: `{ tools, server, servers, totals, ... }`. */
export function jsonReport({ sets, fixed, stale, complete }: Report): string {
  const servers = sets.map(({ name, server, tools }) => ({ name, tools: tools.length, ...server }))
  const report = {
    tools: sets.flatMap(({ name, tools }) => tools.map((tool) => toolJson(tool, name))),
    // Where there are several, none of them is the server.
    server: sets.length === 1 ? sets[0]!.server : null,
    servers,
    totals: totalsOf(sets),
    complete,
    ...(fixed !== null && { fixed }),
    ...(stale !== null && { staleBaseline: stale }),
  }
  return `${JSON.stringify(report)}\n`
}

function toolJson({ name, place, grade, score, findings, suppressed }: ReportedTool, source: string): object {
  return {
    name,
    source,
    file: place?.file ?? null,
    line: place?.line ?? null,
    findings: findings.map(findingJson),
    suppressed: suppressed.map(({ finding, reason }) => ({ ...findingJson(finding), reason })),
    score,
    grade,
  }
}

function findingJson(finding: ReportedFinding): object {
  const { rule, severity, message, rewrite, pointer, place, fixable, known } = finding
  const { file = null, line = null } = place ?? {}
  return { rule, severity, message, rewrite, pointer, file, line, fixable, known }
}

import { type DimensionScore, formatEvidence } from '@curfew/review'
import type { Change, Comparison } from './compare/compare-reports.ts'
import { type Report, totalsOf } from './review-report.ts'
import type { ReportedFinding, ReportedSet, ReportedTool } from './review-source.ts'

/** Of the report; `--compare` reads only this one. Version 1 had no version. */
export const reportVersion = 2

/** `--json`: `{ version, tools, server, servers, totals, ... }`. */
export function jsonReport({ sets, fixed, stale, complete, judge, comparison }: Report): string {
  const servers = sets.map((set) => ({ name: set.name, tools: set.tools.length, ...serverJson(set) }))
  const report = {
    version: reportVersion,
    tools: sets.flatMap(({ name, tools }) => tools.map((tool) => toolJson(tool, name))),
    // Only a single set has one server.
    server: sets.length === 1 ? serverJson(sets[0]!) : null,
    servers,
    totals: totalsOf(sets),
    complete,
    ...(fixed !== null && { fixed }),
    ...(stale !== null && { staleBaseline: stale }),
    ...(judge !== null && { judge }),
    ...(comparison !== null && { comparison: comparisonJson(comparison) }),
  }
  return `${JSON.stringify(report)}\n`
}

function toolJson(
  { name, location, grade, score, findings, suppressed }: ReportedTool,
  source: string,
): object {
  return {
    name,
    source,
    file: location?.file ?? null,
    line: location?.line ?? null,
    findings: findings.map(findingJson),
    suppressed: suppressed.map(({ finding, reason }) => ({ ...findingJson(finding), reason })),
    score: { ...score, dimensions: mapValues(score.dimensions, dimensionJson) },
    grade,
  }
}

function serverJson({ server, findings }: ReportedSet): object | null {
  if (server === null) return null
  const { score, ...parts } = server.coherence
  return {
    ...server,
    coherence: { score, ...mapValues(parts, dimensionJson) },
    findings: findings.map(findingJson),
  }
}

function comparisonJson({ file, tools, servers, unchanged }: Comparison): object {
  const changeJson = ({ newFindings, fixedFindings, ...change }: Change): object => ({
    ...change,
    newFindings: newFindings.map(findingJson),
    fixedFindings: fixedFindings.map(({ rule, severity, message, pointer }) => ({
      rule,
      severity,
      message,
      pointer,
    })),
  })
  return { file, tools: tools.map(changeJson), servers: servers.map(changeJson), unchanged }
}

function dimensionJson({ score, evidence }: DimensionScore): object {
  return { score, evidence: evidence.map(formatEvidence) }
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T) => object): object {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function findingJson(finding: ReportedFinding): object {
  const { rule, severity, message, rewrite, pointer, count, location, fixable, known } = finding
  const { file = null, line = null } = location ?? {}
  return { rule, severity, message, rewrite, pointer, count, file, line, fixable, known }
}

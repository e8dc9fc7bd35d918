import { type DimensionScore, formatEvidence, type ServerReview } from '@curfew/review'
import { type Report, totalsOf } from './review-report.ts'
import type { ReportedFinding, ReportedTool } from './review-source.ts'

/** `--json`: `{ tools, server, servers, totals, ... }`. */
export function jsonReport({ sets, fixed, stale, complete }: Report): string {
  const servers = sets.map(({ name, server, tools }) => ({
    name,
    tools: tools.length,
    ...serverJson(server),
  }))
  const report = {
    tools: sets.flatMap(({ name, tools }) => tools.map((tool) => toolJson(tool, name))),
    // Only a single set has one server.
    server: sets.length === 1 ? serverJson(sets[0]!.server) : null,
    servers,
    totals: totalsOf(sets),
    complete,
    ...(fixed !== null && { fixed }),
    ...(stale !== null && { staleBaseline: stale }),
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

function serverJson(server: ServerReview | null): object | null {
  if (server === null) return null
  const { score, ...parts } = server.coherence
  return { ...server, coherence: { score, ...mapValues(parts, dimensionJson) } }
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

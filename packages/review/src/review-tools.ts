import type { Finding, Review, ReviewedTool, ToolReview } from './review-types.ts'
import { rules } from './rules/index.ts'
import { scoreServer } from './score-server.ts'
import { gradeOf, scoreTool } from './score-tool.ts'

/** Looks at tools that are offered together. Never throws, and says the same each time. */
export function reviewTools(tools: readonly ReviewedTool[]): Review {
  const reviews = tools.map((tool) => reviewTool(tool, tools))
  return {
    tools: reviews,
    server: scoreServer(
      tools,
      reviews.map(({ score }) => score),
    ),
  }
}

function reviewTool(tool: ReviewedTool, siblings: readonly ReviewedTool[]): ToolReview {
  const findings: Finding[] = []
  const suppressed: { finding: Finding; reason: string }[] = []
  for (const finding of rules.flatMap((rule) => rule.check(tool, siblings))) {
    const reason = tool.suppressions.find(({ rule }) => rule === finding.rule)?.reason
    if (reason === undefined) findings.push(finding)
    else suppressed.push({ finding, reason })
  }
  const score = scoreTool(tool, siblings)
  return {
    name: tool.name,
    findings,
    suppressed,
    score,
    grade: gradeOf(score.overall, score.cappedBy),
    place: tool.place,
  }
}

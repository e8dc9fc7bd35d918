import type { Finding, Review, ReviewedTool, ToolReview } from './review-types.ts'
import { rules } from './rules/index.ts'
import { suppressionReason } from './rules/read-suppressions.ts'
import { scoreServer } from './score/score-server.ts'
import { gradeOf, scoreTool } from './score/score-tool.ts'

/** Reviews tools that are offered together. Deterministic; never throws. */
export function reviewTools(tools: readonly ReviewedTool[]): Review {
  const reviews = tools.map((tool) => reviewTool(tool, tools))
  const score = scoreServer(
    tools,
    reviews.map(({ score }) => score),
  )
  if (score === null) return { tools: reviews, server: null }
  const { tools: withoutShared, shared } = shareFindings(tools, reviews)
  return { tools: withoutShared, server: { ...score, findings: shared } }
}

function reviewTool(tool: ReviewedTool, siblings: readonly ReviewedTool[]): ToolReview {
  const findings: Finding[] = []
  const suppressed: { finding: Finding; reason: string }[] = []
  for (const { id, check } of rules) {
    const reason = suppressionReason(tool, id)
    for (const finding of check(tool, siblings)) {
      if (reason === undefined) findings.push(finding)
      else suppressed.push({ finding, reason })
    }
  }
  const score = scoreTool(tool, siblings)
  return {
    name: tool.name,
    findings,
    suppressed,
    score,
    grade: gradeOf(score.overall, score.cappedBy),
    location: tool.location,
  }
}

/** About how a server generates its schemas, rather than about single tools. */
const rule = 'additional-properties'
const minTools = 3

/** Moves what most tools of a published server have in common from the tools to the server. */
function shareFindings(
  tools: readonly ReviewedTool[],
  reviews: readonly ToolReview[],
): { readonly tools: readonly ToolReview[]; readonly shared: readonly Finding[] } {
  const found = reviews.flatMap(({ findings }) => findings.find((finding) => finding.rule === rule) ?? [])
  const isOwn = tools.some(({ curfew }) => curfew !== undefined)
  if (isOwn || found.length < minTools || found.length <= tools.length / 2)
    return { tools: reviews, shared: [] }
  const message = `${found.length} of ${tools.length} tools do not declare whether additional properties are allowed`
  return {
    tools: reviews.map((review) => ({
      ...review,
      findings: review.findings.filter((finding) => finding.rule !== rule),
    })),
    shared: [{ ...found[0]!, message, pointer: '/inputSchema', count: found.length }],
  }
}

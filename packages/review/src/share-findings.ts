import type { Finding, ReviewedTool, ToolReview } from './review-types.ts'

/** Rules about how a server generates its schemas, rather than about single tools. */
const sharedRules: Readonly<Record<string, string>> = {
  'additional-properties': 'do not declare whether additional properties are allowed',
}
const minTools = 3

/** Moves what most tools of a published server have in common from the tools to the server. */
export function shareFindings(
  tools: readonly ReviewedTool[],
  reviews: readonly ToolReview[],
): { readonly tools: readonly ToolReview[]; readonly shared: readonly Finding[] } {
  const shared: Finding[] = []
  for (const [rule, problem] of Object.entries(sharedRules)) {
    const found = reviews.flatMap(({ findings }, index) =>
      tools[index]!.curfew === undefined
        ? findings.filter((finding) => finding.rule === rule).slice(0, 1)
        : [],
    )
    if (found.length < minTools || found.length <= tools.length / 2) continue
    const message = `${found.length} of ${tools.length} tools ${problem}`
    const { fix: _, ...first } = found[0]!
    shared.push({ ...first, message, pointer: '/inputSchema', count: found.length })
  }
  if (shared.length === 0) return { tools: reviews, shared }
  const isShared = new Set(shared.map(({ rule }) => rule))
  return {
    tools: reviews.map((review) => ({
      ...review,
      findings: review.findings.filter(({ rule }) => !isShared.has(rule)),
    })),
    shared,
  }
}

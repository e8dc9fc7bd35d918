import type { Finding, ReviewedTool, ToolReview } from './review-types.ts'

/** About how a server generates its schemas, rather than about single tools. */
const rule = 'additional-properties'
const minTools = 3

/** Moves what most tools of a published server have in common from the tools to the server. */
export function shareFindings(
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

import { type Finding, type Opinion, type ReviewVerdict, severities } from './review-opinion.ts'

export interface MergedFinding extends Finding {
  /** Who reported it. */
  readonly reviewers: readonly string[]
}

export interface MergedReview {
  readonly verdict: ReviewVerdict
  /** How many reviewers gave each verdict. */
  readonly votes: Readonly<Record<ReviewVerdict, number>>
  /** The most severe ones first; of equally severe ones, those that most reviewers reported. */
  readonly findings: readonly MergedFinding[]
}

/** Whether all reviewers gave the same verdict. */
export function isAgreed(opinions: readonly Opinion[]): boolean {
  return opinions.every(({ verdict }) => verdict !== null && verdict === opinions[0]!.verdict)
}

/** One verdict for all: that of the majority. A tie, and no verdict at all, is `revise`. */
export function mergeOpinions(opinions: readonly Opinion[]): MergedReview {
  const count = (verdict: ReviewVerdict): number => opinions.filter((one) => one.verdict === verdict).length
  const votes = { approve: count('approve'), revise: count('revise') }
  const merged = new Map<string, MergedFinding>()
  for (const { reviewer, findings } of opinions) {
    for (const finding of findings) {
      const key = keyOf(finding)
      const known = merged.get(key)
      if (known === undefined) merged.set(key, { ...finding, reviewers: [reviewer] })
      else merged.set(key, combine(known, finding, reviewer))
    }
  }
  return {
    verdict: votes.approve > votes.revise ? 'approve' : 'revise',
    votes,
    findings: [...merged.values()].sort(
      (a, b) => rank(a) - rank(b) || b.reviewers.length - a.reviewers.length,
    ),
  }
}

function combine(known: MergedFinding, other: Finding, reviewer: string): MergedFinding {
  const reviewers = known.reviewers.includes(reviewer) ? known.reviewers : [...known.reviewers, reviewer]
  const severity = rank(other) < rank(known) ? other.severity : known.severity
  const details = other.details.length > known.details.length ? other.details : known.details
  return { ...known, severity, details, reviewers }
}

/** The same finding has the same title and place, apart from case and punctuation. */
function keyOf({ title, location }: Finding): string {
  return `${title} ${location}`
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function rank({ severity }: Finding): number {
  return severities.indexOf(severity)
}

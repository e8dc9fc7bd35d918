import type { Evidence } from '../review-types.ts'

/** One line: `starts at 2: …`, `+1 …`, `+0 …`, `-1 …`, `at most 2: …`. */
export function formatEvidence(evidence: Evidence): string {
  const { reason } = evidence
  switch (evidence.kind) {
    case 'base':
      return `starts at ${evidence.value}: ${reason}`
    case 'points':
      return `${evidence.value < 0 ? '' : '+'}${evidence.value} ${reason}`
    case 'cap':
      return `at most ${evidence.value}: ${reason}`
    case 'total':
      return `${evidence.value}: ${reason}`
    case 'detail':
      return reason
  }
}

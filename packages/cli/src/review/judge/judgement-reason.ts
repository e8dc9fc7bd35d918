const prefix = 'judge: '

/** The reason of a suppression that a model decided. */
export function judgementReason(reason: string): string {
  return prefix + reason
}

export function isJudgement(reason: string): boolean {
  return reason.startsWith(prefix)
}

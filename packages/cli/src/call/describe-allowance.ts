interface Allowance {
  /** That of `AllowedBy`; a journal may contain others. */
  readonly kind: string
  readonly rule: string | null
  readonly mode?: string
}

/** Why a call was allowed to run, as in `allowed by the rule read_*`. */
export function describeAllowance({ kind, rule, mode }: Allowance): string {
  const detail = rule === null ? '' : ` ${rule}`
  switch (kind) {
    case 'readOnly':
      return 'its read-only flag'
    case 'default':
      return 'the default'
    case 'rule':
      return `the rule${detail}`
    case 'remembered':
      return `an earlier answer "always":${detail}`
    case 'turn':
      return `an earlier answer "for this turn":${detail}`
    case 'mode':
      return mode === undefined ? `the mode of the conversation${detail}` : `the mode ${mode}${detail}`
    case 'answer':
      return 'a person, for this call'
    case 'person':
      return 'the person who typed it'
    default:
      return `${kind}${detail}`
  }
}

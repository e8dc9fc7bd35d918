/** Why a call may run. */
export interface AllowedBy {
  readonly kind: 'readOnly' | 'default' | 'rule' | 'answer' | 'turn' | 'remembered' | 'person' | 'builtin'
  /** The rule that applied, if one did. */
  readonly rule: string | null
}

/** Why a call was allowed to run. */
export interface AllowedBy {
  /**
   * - `readOnly`: the tool changes nothing.
   * - `default`: the default verdict is `allow`, or the tool prompts the person itself.
   * - `rule`, `remembered`, `turn`: a rule, an earlier answer "always", or an earlier answer "for this turn".
   * - `answer`: a person approved this call.
   * - `person`: a person typed the call.
   */
  readonly kind: 'readOnly' | 'default' | 'rule' | 'remembered' | 'turn' | 'answer' | 'person'
  /** The rule that matched, if any. */
  readonly rule: string | null
}

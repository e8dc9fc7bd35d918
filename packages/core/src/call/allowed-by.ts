/** Why a call was allowed to run. */
export interface AllowedBy {
  /**
   * - `readOnly`: the tool changes nothing.
   * - `default`: the default verdict is `allow`, or the tool prompts the person itself.
   * - `rule`, `remembered`, `turn`: a rule, an earlier answer "always", or an earlier answer "for this turn".
   * - `mode`: a mode of the conversation, such as one that accepts edits.
   * - `answer`: a person approved this call.
   * - `person`: a person typed the call.
   */
  readonly kind: 'readOnly' | 'default' | 'rule' | 'remembered' | 'turn' | 'mode' | 'answer' | 'person'
  /** The rule that matched, if any. */
  readonly rule: string | null
  /** The name of the mode, with `mode`. */
  readonly mode?: string
}

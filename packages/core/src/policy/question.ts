/** Something that only a person can answer. */
export type Question = ApprovalQuestion | InputQuestion | SecretQuestion | SecretUseQuestion

interface QuestionBase {
  /** The asking call. */
  readonly callUid: number
  readonly callId: string
  readonly tool: string
  readonly params: unknown
  /** The whole question, for a person to read. For an approval it shows the arguments, bounded and with nothing hidden. */
  readonly message: string
}

/** May this call run? */
export interface ApprovalQuestion extends QuestionBase {
  readonly kind: 'approval'
  readonly destructive: boolean
  /** The `ask` rule that put the question; `null` if the gate is simply closed by default. */
  readonly askRule: string | null
  /** What `always` remembers unless the answer names a wider rule. */
  readonly exactRule: string
}

/** `context.ask`. */
export interface InputQuestion extends QuestionBase {
  readonly kind: 'input'
  readonly choices: readonly string[] | null
}

/** What is the value of this secret? Mask what is typed; it goes to the vault and nowhere else. */
export interface SecretQuestion extends QuestionBase {
  readonly kind: 'secret'
  readonly key: string
  /**
   * Who will get it: `host:api.example.com`, `tool:deploy`, or `tool:deploy@/home/me/shop/.curfew` for a project's own; `null`:
   * whoever uses it first. `message` says it in words.
   */
  readonly use: string | null
  /** There is none yet, or the one there is was refused. */
  readonly reason: 'missing' | 'rejected'
}

/** May a secret that was stored for something else be used here too? Answered with `'always'` or `'no'`. */
export interface SecretUseQuestion extends QuestionBase {
  readonly kind: 'secret-use'
  readonly key: string
  readonly use: string
  readonly uses: readonly string[]
}

/** Yes once; yes for this turn; yes always; no; stop the whole turn. */
export type ApprovalAnswer = 'once' | 'turn' | 'always' | 'no' | 'stop'

/**
 * For an approval, one of the five answers, alone or with its details; for an input, `{ text }`; for a secret,
 * `{ secret }` or `'no'`.
 * `undefined` leaves the question to the others who were asked.
 */
export type Answer = ApprovalAnswer | ApprovalDecision | InputAnswer | SecretAnswer | undefined

export interface InputAnswer {
  readonly text: string
}

export interface SecretAnswer {
  readonly secret: string
}

export interface ApprovalDecision {
  readonly answer: ApprovalAnswer
  /** With `no`: what the model is told. */
  readonly reason?: string | undefined
  /** With `turn` and `always`: the rule to remember, such as `write_file(src/*)`. */
  readonly rule?: string | undefined
}

/** Puts a question to a person. The signal is aborted when the answer is no longer wanted. */
export type QuestionHandler = (
  question: Question,
  context: { readonly signal: AbortSignal },
) => Answer | Promise<Answer>

import type { WebAbortSignal } from '../web-types.ts'

/** A question that only a person can answer. */
export type Question = ApprovalQuestion | InputQuestion | SecretQuestion | SecretUseQuestion

/** Which question it is, and whose. */
export interface QuestionIdentity {
  /** Pass it to `runtime.answer`. */
  readonly id: number
  /** The conversation that it belongs to. */
  readonly conversation: string
  /** The client of the conversation, if it has one. */
  readonly client: string | null
}

interface QuestionBase extends QuestionIdentity {
  /** The uid of the call that asks; `null` if a conversation asks outside of any call, and then `callId` and `tool` are empty. */
  readonly callUid: number | null
  readonly callId: string
  readonly tool: string
  readonly params: unknown
  /** The complete question, to be shown to a person. For an approval it includes the arguments, shortened visibly if they are long. */
  readonly message: string
}

/** Whether a call may run. */
export interface ApprovalQuestion extends QuestionBase {
  readonly kind: 'approval'
  readonly destructive: boolean
  /** The `ask` rule that requires the approval; `null` if the default does. */
  readonly askRule: string | null
  /** Why only a person can approve this call, each time; `null` if rules could. Do not answer it on behalf of a person. */
  readonly restriction: string | null
  /** The rule that `always` adds unless the answer specifies another one. */
  readonly exactRule: string
  /** Whether `always` is remembered: not if there is a restriction, if the arguments contain a secret, or if the conversation remembers no answers. */
  readonly canRemember: boolean
  /** From the tool's `preview`, such as a diff: at most 16,000 characters plus escapes; `null` without one. */
  readonly preview: string | null
}

/** Asked by a tool with `context.ask`, or with `conversation.ask`. */
export interface InputQuestion extends QuestionBase {
  readonly kind: 'input'
  readonly choices: readonly string[] | null
}

/** The value of a secret. Mask the input. The value is stored in the vault and passed nowhere else. */
export interface SecretQuestion extends QuestionBase {
  readonly kind: 'secret'
  readonly key: string
  /**
   * Where the secret may be used: `host:api.example.com`, `tool:deploy`, or `tool:deploy@/home/me/shop/.curfew` for a tool
   * of a project; `null` binds it to the first tool that uses it. `message` describes the use.
   */
  readonly use: string | null
  /** `missing` if there is no value yet, `rejected` if the service rejected the current one. */
  readonly reason: 'missing' | 'rejected'
}

/** Whether a secret that was stored for another use may be used here too. Answered with `'always'` or `'no'`. */
export interface SecretUseQuestion extends QuestionBase {
  readonly kind: 'secret-use'
  readonly key: string
  readonly use: string
  readonly uses: readonly string[]
}

/** Yes, once; yes, for this turn; yes, always; no; stop the whole turn. */
export type ApprovalAnswer = 'once' | 'turn' | 'always' | 'no' | 'stop'

/**
 * For an approval, one of the five answers, alone or with details; for an input, `{ text }`; for a secret, `{ secret }`
 * or `'no'`. `undefined` leaves the question to the other handlers; `'later'` keeps it open for `runtime.answer`.
 */
export type Answer = ApprovalAnswer | ApprovalDecision | InputAnswer | SecretAnswer | 'later' | undefined

export interface InputAnswer {
  readonly text: string
}

export interface SecretAnswer {
  readonly secret: string
}

export interface ApprovalDecision {
  readonly answer: ApprovalAnswer
  /** With `no`: the reason to report to the model. */
  readonly reason?: string | undefined
  /** With `turn` and `always`: the rule to add, such as `write_file(src/*)`. */
  readonly rule?: string | undefined
}

/** Asks a person. The signal is aborted when the answer is no longer needed. */
export type QuestionHandler = (
  question: Question,
  context: { readonly signal: WebAbortSignal },
) => Answer | Promise<Answer>

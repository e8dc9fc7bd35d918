import type { ConversationMode } from '../tool/conversation.ts'
import type { Tool } from '../tool/tool.ts'
import { ApprovalRules } from './approval-rules.ts'

/** The verdicts of a conversation's mode, on top of the rules. */
export class ApprovalMode {
  readonly name: string
  /** For the model, after a call was denied. */
  readonly advice: string | null
  readonly #readOnly: boolean
  readonly #allow: ApprovalRules

  constructor({ name, advice, readOnly = false, allow = [] }: ConversationMode) {
    this.name = name
    this.advice = advice ?? null
    this.#readOnly = readOnly
    this.#allow = new ApprovalRules({ allow }, undefined, 'mode')
  }

  /** Whether the call is denied, whatever the rules allow. */
  denies(tool: Tool): boolean {
    return this.#readOnly && !tool.readOnly
  }

  /** The rule that allows the call where only the default would ask. */
  allowingRule(tool: Tool, params: unknown): string | null {
    return this.#allow.decide(tool, params)?.rule ?? null
  }
}

import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { TurnEnd } from './turn-context.ts'
import type { UsageTotal } from './usage-meter.ts'

/** Wraps every turn of an agent, for example in a span. Resolves with what `next` resolves with. */
export type TurnMiddleware = (turn: AgentTurn, next: () => Promise<TurnEnd>) => Promise<TurnEnd>

/** The turn that middleware wraps. */
export interface AgentTurn {
  /** The name of the agent; `null` if it has none. */
  readonly agent: string | null
  /** The id of its conversation in the runtime. */
  readonly conversation: string
  /** The id of the turn, which its calls have, too. */
  readonly turn: string
  /** The model at the start of the turn. */
  readonly model: Pick<LanguageModelV4, 'provider' | 'modelId'>
  /** The uid of the call that the agent runs inside; `null` if there is none. */
  readonly parentUid: number | null
  /** What the models of this turn have used, including those of agents inside it. */
  usage(): UsageTotal
}

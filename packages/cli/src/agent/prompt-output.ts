import type { Agent, AgentEvent, EndReason } from '@curfew/agent'
import type { CallRecord } from './call-record.ts'
import type { Waiting } from './waiting-lines.ts'

/** The version of `json` and `stream-json`. Fields may be added without a new one. */
export const outputVersion = 1

export interface RunStart {
  /** The id of the session; `null` with `--no-session`. */
  readonly session: string | null
  /** `provider:name`; `null` if no model is configured. */
  readonly model: string | null
  readonly mode: string
  readonly folder: string
  /** The names of the tools. */
  readonly tools: readonly string[]
}

export type RunUsage = ReturnType<Agent['turnUsage']>

export interface RunEnd {
  /** `command`: what was typed was a command, not a prompt. */
  readonly reason: EndReason | 'command'
  readonly message: string | null
  /** The answer, or the text of the command's result. */
  readonly text: string
  readonly usage: RunUsage
  readonly durationMs: number
}

export type Notice = Extract<AgentEvent, { type: 'notice' }>['notice']

/** Where the run is reported to, as far as the format shows it. Methods may return a promise if the reader is slow. */
export interface PromptOutput {
  start?(start: RunStart): void | Promise<void>
  text?(text: string): void | Promise<void>
  reasoning?(text: string): void | Promise<void>
  /** The text since the last call was not the answer: calls follow. */
  interim?(text: string): void | Promise<void>
  call?(call: CallRecord): void | Promise<void>
  usage?(usage: Extract<AgentEvent, { type: 'usage' }>['usage']): void | Promise<void>
  notice?(notice: Notice): void | Promise<void>
  waiting?(waiting: Waiting): void
  end(end: RunEnd): void | Promise<void>
}

import type { CallResult } from '../call/call-result.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { Step } from '../tool/conversation.ts'

/** Calls that are started one by one. Those that overlap form a step. */
export class OverlappingCalls {
  readonly #openStep: () => Step
  #step: Step | null = null
  #running = 0

  constructor(openStep: () => Step) {
    this.#openStep = openStep
  }

  async run(call: ToolCall, options: Parameters<ReturnType<Step['reserve']>['run']>[0]): Promise<CallResult> {
    const step = this.#step ?? this.#openStep()
    const reservation = step.reserve(call)
    this.#step = step
    this.#running++
    try {
      return await reservation.run(options)
    } finally {
      this.#running--
      if (this.#running === 0) {
        this.#step = null
        step.close()
      }
    }
  }
}

import type { CallResult } from '../call/call-result.ts'
import type { ToolCall } from '../call/tool-call.ts'
import type { Step } from '../tool/conversation.ts'

type Run = ReturnType<Step['reserve']>['run']

/** Runs calls that are started one by one. Those that overlap form a step. */
export function overlappingCalls(
  openStep: () => Step,
): (call: ToolCall, options: Parameters<Run>[0]) => Promise<CallResult> {
  let current: Step | null = null
  let running = 0
  return async (call, options) => {
    const step = current ?? openStep()
    const reservation = step.reserve(call)
    current = step
    running++
    try {
      return await reservation.run(options)
    } finally {
      running--
      if (running === 0) {
        current = null
        step.close()
      }
    }
  }
}

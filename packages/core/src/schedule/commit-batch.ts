import type { CallResult } from '../call/call-result.ts'
import { addNotice } from '../output/notices.ts'
import type { Batch } from '../store/batch.ts'
import { isStub } from './admission.ts'

/** The third pass: one result per call, in request order, with the turn's notices for the model. */
export function commitBatch(batch: Batch): CallResult[] {
  const { results } = batch
  if (batch.kind === 'task') return results
  loadStubs(batch)
  // The results of a step were delivered one by one.
  const last = results.length - 1
  if (batch.kind !== 'step' && last >= 0) results[last] = addTurnNotices(batch, results[last]!)
  return results
}

/** Records the results so far, and adds the turn's notices to one of them: the last of a batch, or any of a step. */
export function addTurnNotices(batch: Batch, result: CallResult): CallResult {
  let committed = result
  for (const notice of [batch.turn.notice(), recordLoops(batch) ? loopNotice : null]) {
    if (notice !== null) committed = addNotice(committed, notice)
  }
  return committed
}

/** Not before the whole batch has ended: until then, the model has seen none of the definitions. */
function loadStubs({ calls, turn }: Batch): void {
  if (turn.conversation.view !== 'stub') return
  for (const call of calls) {
    if (call.tool !== null && isStub(call) && call.state.status === 'success')
      turn.conversation.load(call.tool)
  }
}

const loopNotice =
  'The same calls returned the same results several times in a row. Try something else, or answer with what you have.'

/** Records results in call order, as far as the calls have ended. Returns whether the model should be warned of a loop. */
function recordLoops(batch: Batch): boolean {
  const { calls, results, turn } = batch
  if (turn.loops === null) return false
  let looping = false
  for (; batch.recorded < calls.length && results[batch.recorded] !== undefined; batch.recorded++) {
    const { loopKey, loopOutcome } = calls[batch.recorded]!
    const result = results[batch.recorded]!
    if (loopKey === null || batch.isRecorded(loopKey) || result.status === 'cancelled') continue
    if (result.status === 'error' && result.code === 'LOOP_DETECTED') continue
    looping = turn.loops.record(loopKey, loopOutcome ?? outcomeOf(result)) || looping
  }
  if (looping && turn.loop === 'none') turn.loop = 'nudged'
  return looping
}

/** Most messages contain durations, so failures are compared by their code. */
function outcomeOf(result: CallResult): string {
  if (result.status === 'success') return result.content
  return result.code === 'TOOL_FAILED' ? `${result.code} ${result.message}` : result.code
}

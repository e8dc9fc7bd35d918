import type { CallResult } from '../call/call-result.ts'
import { addNotice } from '../output/notices.ts'
import type { Batch } from '../store/batch.ts'

/** The third pass: one result per call, in request order, with the turn's notices for the model. */
export function commitBatch(batch: Batch): CallResult[] {
  const { turn, results } = batch
  const last = results.length - 1
  if (last < 0) return results
  const notices = [turn.budget.notice(), recordLoops(batch) ? loopNotice : null]
  for (const notice of notices) {
    if (notice !== null) results[last] = addNotice(results[last]!, notice)
  }
  return results
}

const loopNotice =
  'The same calls returned the same results several times in a row. Try something else, or answer with what you have.'

function recordLoops({ calls, results, turn: { loops } }: Batch): boolean {
  if (loops === null) return false
  const seen = new Set<string>()
  let looping = false
  for (const [index, { loopKey, loopOutcome }] of calls.entries()) {
    const result = results[index]!
    if (loopKey === null || seen.has(loopKey) || result.status === 'cancelled') continue
    seen.add(loopKey)
    if (result.status === 'error' && result.code === 'LOOP_DETECTED') continue
    looping = loops.record(loopKey, loopOutcome ?? outcomeOf(result)) || looping
  }
  return looping
}

/** Most messages contain durations, so failures are compared by their code. */
function outcomeOf(result: CallResult): string {
  if (result.status === 'success') return result.content
  return result.code === 'TOOL_FAILED' ? `${result.code} ${result.message}` : result.code
}

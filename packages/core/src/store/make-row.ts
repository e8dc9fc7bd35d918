import type { CallRow } from '../call/call-row.ts'
import { previewParams } from '../call/preview-params.ts'
import { detach } from '../output/head-tail.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from './call.ts'

const textLimit = 2_000

/** Builds a call's row, whose size is bounded regardless of the arguments, output and result. */
export function makeRow(call: Call, now: number, redactor: Redactor): CallRow {
  const { state, execution, batch } = call
  const result = 'result' in state ? state.result : null
  const timing = state.status === 'executing' ? state : result
  const failure = result?.status === 'success' ? null : result
  return {
    uid: call.uid,
    id: call.callId,
    name: call.name,
    args: previewParams(redactor.data(call.params)),
    status: state.status,
    turn: batch.turn.id,
    parentUid: batch.parent?.uid ?? null,
    createdAt: call.createdAt,
    startedAt: call.startedAt,
    endedAt: result === null ? null : now,
    elapsedMs: execution?.timer.elapsedMs() ?? 0,
    updatedAt: now,
    paused: execution?.timer.paused ?? false,
    timeoutMs: timing?.timeoutMs ?? null,
    timeoutSource: timing?.timeoutSource ?? null,
    progress: call.progress,
    heals: call.heals,
    outputTail: execution?.output?.last(textLimit) ?? '',
    outputLength: execution?.output?.length ?? 0,
    question: state.status === 'awaiting_approval' ? state.question : null,
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    preview: result === null ? '' : beginning(result.content),
    abandoned: failure?.abandoned ?? false,
  }
}

function beginning(text: string): string {
  return text.length > textLimit ? detach(text, 0, textLimit) : text
}

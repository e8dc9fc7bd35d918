import type { CallRow } from '../call/call-row.ts'
import { previewParams } from '../call/preview-params.ts'
import { noMeta } from '../call/read-calls.ts'
import { attempt } from '../errors/attempt.ts'
import { plainData } from '../errors/plain-data.ts'
import { copySlice } from '../output/head-tail.ts'
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
    title: call.tool?.title ?? null,
    adapter: call.tool?.adapter ?? null,
    server: call.tool?.server ?? null,
    args: previewParams(redactor.data(call.request.params)),
    status: state.status,
    conversation: call.conversation,
    turn: batch.turn.id,
    batch: batch.id,
    parentUid: batch.parent?.uid ?? null,
    meta: metaOf(call, redactor),
    background: call.background,
    detachedTo: call.detachedTo,
    allowedBy: call.allowedBy,
    createdAt: call.createdAt,
    startedAt: call.startedAt,
    endedAt: result === null ? null : now,
    elapsedMs: execution?.timer.elapsedMs() ?? 0,
    updatedAt: now,
    activeAt: call.activeAt,
    paused: execution?.timer.paused ?? false,
    pausedMs: execution?.timer.pausedMs() ?? 0,
    timeoutMs: timing?.timeoutMs ?? null,
    timeoutSource: timing?.timeoutSource ?? null,
    progress: call.progress,
    heals: call.heals,
    outputTail: execution?.output?.last(textLimit) ?? '',
    outputPending: execution?.pendingOutput ?? '',
    outputLength: call.output?.length ?? 0,
    outputBytes: call.output?.bytes ?? 0,
    outputLines: call.output?.lines ?? 0,
    question: state.status === 'awaiting_approval' ? state.question : null,
    code: failure?.code ?? null,
    message: failure?.message ?? null,
    problem: result?.status === 'success' ? problemOf(call, result.value) : null,
    preview: result === null ? '' : beginning(result.content),
    abandoned: failure?.abandoned ?? false,
  }
}

/** Only our own tools have one, but a value may have been changed by middleware. */
function problemOf({ tool }: Call, value: unknown): string | null {
  return attempt(() => tool?.problemOf?.(value) ?? null, null)
}

function beginning(text: string): string {
  return text.length > textLimit ? copySlice(text, 0, textLimit) : text
}

/** Copied once: it may be large, and a tool may change it later. */
function metaOf(call: Call, redactor: Redactor): Readonly<Record<string, unknown>> {
  if (call.meta === noMeta) return noMeta
  call.copies ??= {}
  call.copies.meta ??= boundMeta(call.meta)
  return redactor.data(call.copies.meta)
}

/** Copies the entries that fit. */
function boundMeta(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const bounded: Record<string, unknown> = {}
  let room = textLimit
  for (const [key, value] of Object.entries(plainData(meta) as object)) {
    room -= key.length + (JSON.stringify(value)?.length ?? 0)
    if (room < 0) break
    Object.defineProperty(bounded, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return bounded
}

import type { CallRow, Transition } from '@curfew/core'

/** A call as `--output json` and `stream-json` show it. Contains no secrets. */
export interface CallRecord extends Pick<CallRow, 'uid' | 'id' | 'name' | 'parentUid' | 'timeoutMs'> {
  readonly status: Transition['to']
  readonly input: unknown
  readonly timeoutSource: string | null
  /** Why it may run: `rule`, `readOnly`, `answer`, ... */
  readonly allowedBy: string | null
  /** Only of calls that have ended. */
  readonly durationMs?: number
  readonly code?: string | null
  /** What the model reads. */
  readonly content?: string
}

export function toCallRecord({ uid, id, name, to, state, call }: Transition): CallRecord {
  const { args, parentUid, deadline, allowedBy } = call
  const base = {
    uid,
    id,
    name,
    parentUid,
    status: to,
    input: args,
    timeoutMs: deadline?.timeoutMs ?? null,
    timeoutSource: deadline?.source ?? null,
    allowedBy: allowedBy?.kind ?? null,
  }
  if (!('result' in state)) return base
  const { result } = state
  return {
    ...base,
    durationMs: Math.round(result.durationMs),
    code: result.status === 'success' ? null : result.code,
    content: result.content,
  }
}

import type { AllowedBy } from '../call/allowed-by.ts'
import { copyParams } from '../call/copy-params.ts'
import { noMeta } from '../call/read-calls.ts'
import type { TraceContext } from '../call/trace-context.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import type { ResolvedTimeout, TimeoutSource } from '../deadline/resolve-timeout.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Call } from './call.ts'

/** A call at the time of a transition. All of it is data that nobody else changes, without secrets. */
export interface CallDetails {
  /** The arguments as the model sent them; `null` if they can no longer be copied. */
  readonly args: unknown
  readonly meta: Readonly<Record<string, unknown>>
  readonly parentUid: number | null
  readonly conversation: string
  readonly turn: string | null
  readonly batch: number
  /** `null` until the tool is found. */
  readonly adapter: Adapter | null
  readonly server: string | null
  /** The time of the transition, in milliseconds since 1970. */
  readonly wallTime: number
  /** `null` until the call starts. */
  readonly deadline: EffectiveDeadline | null
  readonly allowedBy: AllowedBy | null
  readonly background: boolean
  readonly detachedTo: number | null
  /** Of a background task: the uid of the call that it continues. */
  readonly continues: number | null
  /** Where the call belongs in a distributed trace, if its caller sent it or middleware has set it. */
  readonly traceContext: TraceContext | null
  /** How often the call was retried with another key. */
  readonly heals: number
  /** How often, and how long in total, this attempt waited for a person. */
  readonly pauses: number
  readonly pausedMs: number
  /** The live output of all attempts. */
  readonly outputChars: number
  readonly outputBytes: number
  /** The file with the live output, while it is too long for memory. */
  readonly outputPath: string | null
  /** The file with the complete result, if it was too long for the model. */
  readonly resultPath: string | null
}

export interface EffectiveDeadline {
  readonly timeoutMs: number
  readonly source: TimeoutSource
  /** The timeout before it was shortened. */
  readonly requested: { readonly timeoutMs: number; readonly source: TimeoutSource }
  readonly shortenedBy: TimeoutSource | null
}

export function describeCall(call: Call, wallTime: number, redactor: Redactor): CallDetails {
  const { batch, tool, state, execution, output } = call
  return {
    args: argsOf(call, redactor),
    meta: plainMetaOf(call, redactor),
    parentUid: batch.parent?.uid ?? null,
    conversation: call.conversation,
    turn: batch.turn.id,
    batch: batch.id,
    adapter: tool?.adapter ?? null,
    server: tool?.server ?? null,
    wallTime,
    deadline: execution === null ? null : describeDeadline(execution.timeout),
    allowedBy: call.allowedBy,
    background: call.background,
    detachedTo: call.detachedTo,
    continues: call.continues,
    traceContext: call.traceContext,
    heals: call.heals,
    pauses: execution?.timer.pauseCount ?? 0,
    pausedMs: execution?.timer.pausedMs() ?? 0,
    outputChars: output?.length ?? 0,
    outputBytes: output?.bytes ?? 0,
    outputPath: output?.path ?? null,
    resultPath: ('result' in state && state.result.spillPath) || null,
  }
}

/** Redacted once, unless a secret becomes known in the meantime: arguments may be large, and a call has several transitions. */
function argsOf(call: Call, redactor: Redactor): unknown {
  const params = paramsOf(call)
  if (!redactor.active) return params
  const copies = call.copies!
  if (copies.redactedIn !== redactor.version) {
    copies.redacted = redactor.data(params)
    copies.redactedIn = redactor.version
  }
  return copies.redacted
}

/** Like the arguments, copied once. */
function plainMetaOf(call: Call, redactor: Redactor): CallDetails['meta'] {
  if (call.meta === noMeta) return noMeta
  call.copies ??= {}
  const { copies } = call
  if (copies.plainMeta === undefined || copies.plainMetaIn !== redactor.version) {
    copies.plainMeta = redactor.plain(call.meta) as CallDetails['meta']
    copies.plainMetaIn = redactor.version
  }
  return copies.plainMeta
}

/** Copied once, before the tool gets them; an observer that was added later gets what the tool has left of them. */
function paramsOf(call: Call): unknown {
  call.copies ??= {}
  if (call.copies.params === undefined) {
    try {
      call.copies.params = copyParams(call.request.params)
    } catch {
      call.copies.params = null
    }
  }
  return call.copies.params
}

function describeDeadline({ timeoutMs, source, requested }: ResolvedTimeout): EffectiveDeadline {
  return requested === undefined
    ? { timeoutMs, source, requested: { timeoutMs, source }, shortenedBy: null }
    : { timeoutMs, source, requested, shortenedBy: source }
}

import { CurfewError } from '../errors/curfew-error.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import type { Call } from '../store/call.ts'
import type { CallStore } from '../store/call-store.ts'
import type { ApprovalGate, GateOutcome } from './approval-gate.ts'
import type { CallServices } from './call-services.ts'
import { computePreview, type PreviewResult } from './compute-preview.ts'
import { addWithdrawal } from './withdrawals.ts'

export interface QuestionContext {
  readonly settings: RuntimeSettings
  readonly store: CallStore
  readonly gate: ApprovalGate
  readonly services: CallServices
  onOutcome(call: Call, outcome: GateOutcome): void
  /** Ends a call that cannot succeed, so that nobody is asked. */
  fail(call: Call, error: CurfewError): void
  /** Continues a call that was waiting; an error ends only this call. */
  resume(call: Call, step: () => void): void
}

/** Asks a person whether a call may run, with the tool's preview if it has one, which is `undefined` until it has been computed. */
export function askForApproval(call: Call, context: QuestionContext, preview?: PreviewResult): void {
  const { store, gate, services, onOutcome, fail } = context
  // Decided again, because an answer since the admission may cover this call.
  const decided = gate.decide(call)
  const { verdict, allowedBy } = decided
  if (verdict === 'deny') return onOutcome(call, { kind: 'denied', error: gate.denial(call, decided) })
  if (allowedBy !== null) return onOutcome(call, { kind: 'approved', allowedBy })
  if (preview instanceof CurfewError) return fail(call, preview)
  call.phase = 'question'
  const waitsForPreview = call.tool!.preview !== undefined || call.batch.lastPreview !== null
  if (preview === undefined && waitsForPreview) return computeFirst(call, context)
  const question = gate.question(call, decided, preview ?? null)
  const resume = services.pause(call.parent)
  const withdraw = gate.ask(call, question, (outcome) => {
    unregister()
    resume()
    onOutcome(call, outcome)
  })
  const unregister = addWithdrawal(call, () => {
    resume()
    withdraw()
  })
  // Last, because an observer may answer the question.
  store.dispatch(call, { status: 'awaiting_approval', question })
}

/** Questions open in call order, so a call also waits for the previews of earlier ones. */
function computeFirst(call: Call, context: QuestionContext): void {
  const { batch } = call
  const { preview, cancel } = computePreview(call.tool!, call, context.settings)
  const unregister = addWithdrawal(call, cancel)
  const asked = Promise.all([preview, batch.lastPreview]).then(([result]) => {
    unregister()
    if (batch.lastPreview === asked) batch.lastPreview = null
    if (call.ended) return
    context.resume(call, () => {
      // If a nested call of another batch went ahead meanwhile, the preview would be outdated.
      if (call.blockers > 0) call.phase = 'order'
      else askForApproval(call, context, result)
    })
  })
  batch.lastPreview = asked
}

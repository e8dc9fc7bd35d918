import type { TortureCase } from '../cases/torture-case.ts'
import { monotonicMs } from '../tools/record-event.ts'
import { Failed, NotApplicable } from '../trial/failed.ts'
import { type Note, type Product, Trial } from '../trial/trial.ts'

/** `fail`: the product did what the case forbids. `n/a`: the product does not offer what the case is about. */
export type Verdict = 'pass' | 'fail' | 'n/a'

/** One case with one product, once. */
export interface CaseRecord {
  readonly id: string
  readonly verdict: Verdict
  /** What was expected and what happened, or why the case does not apply; empty if it passed. */
  readonly reason: string
  readonly ms: number
  /** What the suite saw. */
  readonly notes: readonly Note[]
}

/** No case waits longer, whatever the product does. */
const maxMs = 120_000

export async function runCase(one: TortureCase, product: Product): Promise<CaseRecord> {
  const startMs = monotonicMs()
  const missing = one.needs.find((feature) => product.features[feature] !== true)
  if (missing !== undefined) {
    const reason = product.features[missing] || `it does not offer "${missing}"`
    return { id: one.id, verdict: 'n/a', reason: String(reason), ms: 0, notes: [] }
  }
  const trial = new Trial(product)
  let verdict: Verdict = 'pass'
  let reason = ''
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failed(`the case did not end within ${maxMs / 1_000} s`)), maxMs)
  })
  try {
    await Promise.race([one.run(trial), late])
  } catch (error) {
    if (error instanceof NotApplicable) verdict = 'n/a'
    else if (error instanceof Failed) verdict = 'fail'
    else throw new Error(`${one.id}: the suite itself failed`, { cause: error })
    reason = error.message
  } finally {
    clearTimeout(timer)
    await trial.dispose()
  }
  return { id: one.id, verdict, reason, ms: Math.round(monotonicMs() - startMs), notes: trial.notes }
}

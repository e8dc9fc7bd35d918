import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { didYouMean } from '../text/did-you-mean.ts'

/** Throws unless the value is an object that has only known keys; `null` allows all. */
export function checkKeys(value: unknown, known: readonly string[] | null, prefix: string): void {
  const where = prefix === '' ? 'options' : prefix.slice(0, -1)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(where, 'an object', value)
  if (known === null) return
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const field = prefix + key
    const hint = didYouMean(key, known) || `use one of ${known.join(', ')}`
    throw new CurfewError('INVALID_OPTION', `${field}: unknown option; ${hint}`, { field })
  }
}

export function oneOf<T extends string>(value: T, allowed: readonly T[], field: string): T {
  if (!allowed.includes(value)) throw invalid(field, `one of ${allowed.join(', ')}`, value)
  return value
}

export function invalid(field: string, expected: string, got: unknown): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: expected ${expected}, got ${describeValue(got)}`, {
    field,
  })
}

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

export function string(value: string | undefined, field: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw invalid(field, 'a string', value)
  return value
}

export function boolean(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw invalid(field, 'true or false', value)
  return value
}

export function callable<F>(value: F, field: string): F {
  if (value !== undefined && typeof value !== 'function') throw invalid(field, 'a function', value)
  return value
}

export function checkSignal(value: unknown): void {
  if (value !== undefined && !(value instanceof AbortSignal)) throw invalid('signal', 'an AbortSignal', value)
}

export function invalid(field: string, expected: string, got: unknown): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field}: expected ${expected}, got ${describeValue(got)}`, {
    field,
  })
}

import type { MutantName } from '../mutants.ts'

let active: string | null = null

/** Makes one behaviour of the reference wrong, in this thread. */
export function setMutant(name: string | null): void {
  active = name
}

export function isMutant(...names: readonly MutantName[]): boolean {
  return names.some((name) => name === active)
}

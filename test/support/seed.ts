import fc from 'fast-check'

/** The same in every run: a failure can be repeated, and belongs to the change that caused it. */
export const defaultSeed = 1

/** The only seed of a run of `npm run explore`. */
export const chosenSeed: number | undefined =
  process.env.CURFEW_TEST_SEED === undefined ? undefined : Number(process.env.CURFEW_TEST_SEED)

let current = defaultSeed

/** The seed for everything that a test chooses by chance; properties of fast-check use it by default. */
export function testSeed(): number {
  return current
}

/** Called before a test, and before each repetition with another seed. */
export function useSeed(seed: number): void {
  current = seed
  fc.configureGlobal({ seed })
}

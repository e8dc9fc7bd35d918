const scale = process.env.CURFEW_TEST_SCALE

/** True in `npm run test:slow`. */
export const isSlowRun: boolean = scale !== undefined

/** The number of runs of a property test: as given in `npm test`, five times that in `npm run test:slow`. */
export function scaled(runs: number): number {
  return runs * Number(scale ?? 1)
}

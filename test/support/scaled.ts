/** The number of runs of a property test: as given in `npm test`, many times that in `npm run test:slow`. */
export function scaled(runs: number): number {
  return runs * Number(process.env.CURFEW_TEST_SCALE ?? 1)
}

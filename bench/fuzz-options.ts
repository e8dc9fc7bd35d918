import { parseArgs } from 'node:util'

const defaultSeconds = 300

export interface FuzzOptions {
  readonly seconds: number
  readonly seed: number
}

/** Reads `--seconds N` and `--seed N`. */
export function readFuzzOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { type: 'string' }, seed: { type: 'string' } },
    strict: false,
  })
  return {
    seconds: Number(values.seconds ?? defaultSeconds),
    seed: Number(values.seed ?? Date.now() % 2 ** 31),
  }
}

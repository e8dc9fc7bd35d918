import { beforeAll, beforeEach, type RunnerTask, type RunnerTestSuite } from 'vitest'
import { regressionsOf } from '../support/regressions.ts'
import { chosenSeed, defaultSeed, useSeed } from '../support/seed.ts'

let regressions: Readonly<Record<string, readonly number[]>> = {}

/** A test runs with the seeds that once made it fail, and then with the seed of every run. */
function seedsOf({ fullTestName }: RunnerTask): readonly number[] {
  return chosenSeed === undefined ? [...(regressions[fullTestName!] ?? []), defaultSeed] : [chosenSeed]
}

// For what is generated outside of tests.
useSeed(chosenSeed ?? defaultSeed)

// biome-ignore lint/correctness/noEmptyPattern: vitest requires a pattern here.
beforeAll(({}, { file }) => {
  regressions = regressionsOf(file.filepath)
  if (Object.keys(regressions).length > 0) repeatTests(file)
})

beforeEach(({ task }) => {
  useSeed(seedsOf(task)[task.result?.repeatCount ?? 0]!)
})

function repeatTests(suite: RunnerTestSuite): void {
  for (const task of suite.tasks) {
    if (task.type === 'suite') repeatTests(task)
    else task.repeats = seedsOf(task).length - 1
  }
}

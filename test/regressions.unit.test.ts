import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addRegression, recordedFiles, regressionsOf } from './support/regressions.ts'
import { chosenSeed, defaultSeed, testSeed } from './support/seed.ts'

describe('a test with recorded seeds', () => {
  const seeds: number[] = []

  // In test/regressions.json.
  test('runs with them first', () => {
    expect(fc.readConfigureGlobal().seed).toBe(testSeed())
    seeds.push(testSeed())
  })

  test('runs with the seed of every run after that', () => {
    expect(seeds).toEqual(chosenSeed === undefined ? [7, 8, defaultSeed] : [chosenSeed])
  })
})

test('a seed is recorded once, with those of other tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-regressions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const record = join(folder, 'regressions.json')
  addRegression('a.test.ts', 'group > first', 5, record)
  addRegression('a.test.ts', 'second', 6, record)
  addRegression('b.test.ts', 'first', 7, record)
  for (const seed of [8, 5]) addRegression('a.test.ts', 'group > first', seed, record)
  expect(regressionsOf('a.test.ts', record)).toEqual({ 'group > first': [5, 8], second: [6] })
  expect(regressionsOf('b.test.ts', record)).toEqual({ first: [7] })
  expect(regressionsOf('c.test.ts', record)).toEqual({})
})

test('every file with recorded seeds exists', () => {
  expect(recordedFiles().filter((file) => !existsSync(file))).toEqual([])
})

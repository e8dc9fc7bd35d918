import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allCases, runSuite } from '../dist/index.js'
import { type Mutant, mutants } from './mutants.ts'
import { toPattern } from './to-pattern.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(`./reference/${name}.ts`, import.meta.url))

/** Cases that the reference cannot pass, and why. */
const impossible: Readonly<Record<string, string>> = {}

test('the reference passes every case', async () => {
  const { cells } = await runSuite({ adapter: fileOf('reference'), jobs: 6 })
  expect(cells.length).toBe(allCases.length)
  const notPassed = cells.filter(({ verdict }) => verdict !== 'pass')
  expect(notPassed.map(({ id, verdict, reason }) => `${id} ${verdict}: ${reason}`)).toEqual(
    Object.entries(impossible).map(([id, reason]) => `${id} fail: ${reason}`),
  )
})

test('as an agent, the reference passes what its mutants fail as agents', async () => {
  const all: readonly Mutant[] = Object.values(mutants)
  const ids = all.flatMap(({ cases, onlyConversation }) => (onlyConversation ? cases : []))
  const { cells } = await runSuite({ adapter: fileOf('reference-agent'), only: toPattern(ids) })
  expect(cells.map(({ id, verdict, reason }) => `${id} ${verdict}${reason}`).sort()).toEqual(
    ids.map((id) => `${id} pass`).sort(),
  )
})

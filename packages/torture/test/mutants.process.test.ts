import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allCases, runSuite } from '../dist/index.js'
import { type Mutant, mutants } from './mutants.ts'
import { toPattern } from './to-pattern.ts'

const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const all: [string, Mutant][] = Object.entries(mutants)

test('each case is failed by a mutant', () => {
  const named = new Set(all.flatMap(([, { cases }]) => cases))
  expect([...named].sort()).toEqual(allCases.map(({ id }) => id).sort())
  expect(all.length).toBeGreaterThanOrEqual(60)
})

// Most of the time is spent waiting for limits.
describe.concurrent('a reference that', () => {
  test.for(all)('%s', async ([name, { cases, onlyConversation }], { expect }) => {
    const { cells } = await runSuite({
      adapter: writeAdapter(name, onlyConversation ?? false),
      only: toPattern(cases),
      jobs: 1,
    })
    expect(cells.map(({ id, verdict }) => `${id} ${verdict}`).sort()).toEqual(
      cases.map((id) => `${id} fail`).sort(),
    )
  })
})

function writeAdapter(mutant: string, onlyConversation: boolean): string {
  const file = join(folder, `${mutant}.mjs`)
  const reference = new URL('./reference/create-reference.ts', import.meta.url).href
  const options = JSON.stringify({ mutant, onlyConversation })
  writeFileSync(
    file,
    `import { createReference } from '${reference}'\nexport default createReference(${options})\n`,
  )
  return file
}

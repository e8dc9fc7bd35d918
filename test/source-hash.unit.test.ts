import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sourceHash } from '../scripts/source-hash.ts'

test('a build is older than the sources if a source was added, changed, renamed or removed, but not a test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-sources-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  write('packages/core/src/a.ts', '1')
  write('packages/cli/src/b.tsx', '2')
  const before = sourceHash(folder)
  write('packages/core/src/a.test.ts', 'test')
  write('packages/core/dist/a.js', 'built')
  expect(sourceHash(folder)).toBe(before)
  const hashes = [before]
  write('packages/core/src/a.ts', '3')
  hashes.push(sourceHash(folder))
  rmSync(join(folder, 'packages/cli/src/b.tsx'))
  hashes.push(sourceHash(folder))
  write('packages/cli/src/c.tsx', '2')
  hashes.push(sourceHash(folder))
  expect(new Set(hashes).size).toBe(hashes.length)
})

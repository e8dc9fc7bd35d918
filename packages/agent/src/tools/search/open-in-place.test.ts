import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FileSearcher } from './file-searcher.ts'
import { openInPlace } from './open-in-place.ts'

function setUp(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-search-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'a'))
  writeFileSync(join(root, 'a/file'), 'canary')
  return root
}

test('opens what is at a path, but not through links', () => {
  const root = setUp()
  closeSync(openInPlace(join(root, 'a/file')))
  symlinkSync('a', join(root, 'link'))
  symlinkSync('file', join(root, 'a/link'))
  for (const path of ['link/file', 'a/link']) expect(() => openInPlace(join(root, path))).toThrow()
})

test('a search does not follow a folder that was replaced by a link', () => {
  const root = setUp()
  const query = { literal: 'canary', plain: 'canary', full: 'canary', required: null, flags: 'gmv' }
  const shared = { patterns: [], includeHidden: false, inRepository: false, globalExcludes: null, context: 0 }
  const searcher = new FileSearcher({ ...shared, root, query, maxFileBytes: 100, maxMatches: 10 })
  const search = (work: object) => searcher.search({ work: [work as never], cutoff: null }).found.length
  const both = [{ files: ['a/file'] }, { folder: 'a', level: null }]
  expect(both.map(search)).toEqual([1, 1])
  renameSync(join(root, 'a'), join(root, 'moved'))
  symlinkSync('moved', join(root, 'a'))
  expect(both.map(search)).toEqual([0, 0])
})

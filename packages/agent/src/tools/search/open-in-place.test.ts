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
  const shared = { patterns: [], includeHidden: false, inRepository: false, globalExcludes: null, context: 0 }
  const options = { ...shared, root, expression: /canary/, maxFileBytes: 100, maxMatches: 10 }
  const search = () =>
    ['a/file', null].map((file) => new FileSearcher({ ...options, file }).next(null)?.length ?? 0)
  expect(search()).toEqual([1, 1])
  renameSync(join(root, 'a'), join(root, 'moved'))
  symlinkSync('moved', join(root, 'a'))
  // In its new place, the file is still found; through the link, it is not.
  expect(search()).toEqual([0, 1])
})

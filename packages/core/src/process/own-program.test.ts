import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { excludeOwnPrograms, ownPath, ownProgram } from './own-program.ts'

test('skips folders that are relative, or that the workspace or another user can change', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-own-program-')))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const folder = (name: string): string => join(base, name)
  for (const name of ['project/bin', 'good', 'shared', 'through', 'open']) {
    mkdirSync(folder(name), { recursive: true })
    writeFileSync(join(folder(name), 'tool'), '#!/bin/sh\n', { mode: 0o755 })
  }
  excludeOwnPrograms([folder('project')])
  symlinkSync(folder('project/bin'), folder('link'))
  symlinkSync(folder('good'), folder('project/elsewhere'))
  rmSync(join(folder('through'), 'tool'))
  symlinkSync('../project/elsewhere/tool', join(folder('through'), 'tool'))
  chmodSync(folder('shared'), 0o777)
  chmodSync(join(folder('open'), 'tool'), 0o757)
  const unusable = [
    '',
    '.',
    'good',
    ...['missing', 'project/bin', 'link', 'project/elsewhere', 'through', 'shared', 'open'].map(folder),
  ]
  expect(ownProgram('tool', unusable.join(delimiter))).toBe('/usr/bin/not-found/tool')
  expect(ownProgram('tool', [...unusable, folder('good')].join(delimiter))).toBe(join(folder('good'), 'tool'))
})

test.runIf(process.getuid?.() === 0)('skips folders that a group of other users can change', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-own-program-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o775)
  expect(ownPath(folder)).toBe(folder)
  chownSync(folder, 0, 12_345)
  expect(ownPath(folder)).toBe('')
  chmodSync(folder, 0o755)
  expect(ownPath(folder)).toBe(folder)
})

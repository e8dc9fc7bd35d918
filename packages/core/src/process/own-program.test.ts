import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { excludeOwnPrograms, ownProgram } from './own-program.ts'

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

import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { FileWatch } from '../src/files/file-watch.ts'

function setUp(file: (folder: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-watch-'))
  const problems: string[] = []
  let changes = 0
  const path = file(folder)
  const watch = new FileWatch({
    files: [path],
    onChange: () => changes++,
    onUnavailable: (reason) => problems.push(reason),
  })
  onTestFinished(() => {
    watch.close()
    rmSync(folder, { recursive: true })
    expect(problems).toEqual([])
  })
  /** Makes a change, and waits until it is noticed. */
  const notices = async (change: () => void): Promise<void> => {
    const before = changes
    change()
    await until(() => changes > before)
  }
  return { folder, path, watch, notices, count: () => changes }
}

test('notices a file that is created, written, replaced and deleted', async () => {
  const { folder, path, notices } = setUp((folder) => join(folder, 'a.json'))
  await notices(() => writeFileSync(path, '1'))
  await notices(() => writeFileSync(path, '2'))
  writeFileSync(join(folder, 'new'), '3')
  await notices(() => renameSync(join(folder, 'new'), path))
  await notices(() => writeFileSync(path, '4'))
  await notices(() => rmSync(path))
})

test('notices a file in a folder that is created, removed and replaced', async () => {
  const { folder, path, notices } = setUp((folder) => join(folder, 'one', 'two', 'a.json'))
  await notices(() => mkdirSync(join(folder, 'one')))
  await notices(() => mkdirSync(join(folder, 'one', 'two')))
  await notices(() => writeFileSync(path, '1'))
  mkdirSync(join(folder, 'other'))
  writeFileSync(join(folder, 'other', 'a.json'), '2')
  await notices(() => {
    renameSync(join(folder, 'one', 'two'), join(folder, 'old'))
    renameSync(join(folder, 'other'), join(folder, 'one', 'two'))
  })
  await notices(() => writeFileSync(path, '3'))
  await notices(() => rmSync(join(folder, 'one', 'two'), { recursive: true }))
})

test('notices changes of the target of a symbolic link, and of the link', async () => {
  const { folder, path, notices } = setUp((folder) => {
    mkdirSync(join(folder, 'real'))
    writeFileSync(join(folder, 'real', 'b.json'), '1')
    symlinkSync(join('real', 'b.json'), join(folder, 'a.json'))
    return join(folder, 'a.json')
  })
  await notices(() => writeFileSync(join(folder, 'real', 'b.json'), '2'))
  await notices(() => {
    rmSync(path)
    symlinkSync(join('real', 'c.json'), path)
  })
  await notices(() => writeFileSync(join(folder, 'real', 'c.json'), '3'))
})

test('changes in quick succession are one, and other files none', async () => {
  const { folder, path, watch, notices, count } = setUp((folder) => join(folder, 'a.json'))
  await notices(() => {
    for (let i = 0; i < 20; i++) writeFileSync(path, String(i))
  })
  const before = count()
  writeFileSync(join(folder, 'b.json'), '1')
  await notices(() => writeFileSync(path, '1'))
  expect(count()).toBe(before + 1)
  watch.close()
  writeFileSync(path, '2')
  watch.trigger()
})

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkspace } from './support/checkpoint-setup.ts'

/** As soon as the first file was deleted, keeps replacing the folder `d` of a workspace by a link to another folder, and back. */
const swap = `
  const fs = require('node:fs')
  const [base] = process.argv.slice(1)
  fs.symlinkSync(base + '/outside', base + '/link')
  process.stdout.write('ready')
  const d = base + '/project/d', moved = base + '/moved', link = base + '/link'
  const count = fs.readdirSync(d).length
  while (fs.readdirSync(d).length === count) {}
  for (;;) try {
    fs.renameSync(d, moved); fs.renameSync(link, d); fs.renameSync(d, link); fs.renameSync(moved, d)
  } catch {}
`

async function startSwapping(base: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', swap, base], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

test('a folder that is replaced by a link during a restore leads nowhere else', async () => {
  const { base, checkpoints, take, plan, write } = openWorkspace()
  const outside = join(base, 'outside')
  mkdirSync(outside)
  const count = 1_000
  for (let index = 0; index < count; index++) write(`d/changed-${index}`, 'old')
  const planned = await plan(await take())
  expect(planned.changes).toEqual([])
  for (let index = 0; index < count; index++) {
    write(`d/changed-${index}`, `new ${index}`)
    write(`d/added-${index}`, 'new')
    writeFileSync(join(outside, `added-${index}`), 'precious')
  }
  const checkpoint = await plan(1)
  const child = await startSwapping(base)
  const { signal } = new AbortController()
  await checkpoints.restore(checkpoint, { position: 0, followedBy: [], signal })
  child.kill('SIGKILL')
  await once(child, 'close')
  const left = readdirSync(outside)
  expect(left.length).toBe(count)
  expect(left.every((name) => readFileSync(join(outside, name), 'utf8') === 'precious')).toBe(true)
})

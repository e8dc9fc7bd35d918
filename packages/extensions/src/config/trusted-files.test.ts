import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  approveContent,
  contentHash,
  forgetApprovedContent,
  nothingApproved,
  readApprovedContent,
  trustedFilesPath,
} from './trusted-files.ts'

let user = ''
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), 'curfew-trusted-'))
  onTestFinished(() => rmSync(user, { recursive: true }))
})

const servers = (...entries: readonly [string, string][]) => ({ servers: new Map(entries) })

test('approvals belong to one project, and a later one replaces an earlier one of the same server', async () => {
  expect(await readApprovedContent(user, '/a')).toEqual(nothingApproved)
  await approveContent(user, '/a', servers(['x', '1'], ['constructor', '2']))
  await approveContent(user, '/a', { ...servers(['x', '3']), config: '4' })
  await approveContent(user, '/b', servers(['x', '5']))
  const { servers: approved, config } = await readApprovedContent(user, '/a')
  expect([...approved].map(([name, { hash }]) => [name, hash])).toEqual([
    ['x', '3'],
    ['constructor', '2'],
  ])
  expect(config?.hash).toBe('4')
  expect((await readApprovedContent(user, '/b')).servers.get('constructor')).toBeUndefined()
  await forgetApprovedContent(user, '/a')
  expect(await readApprovedContent(user, '/a')).toEqual(nothingApproved)
  expect((await readApprovedContent(user, '/b')).servers.size).toBe(1)
})

test('concurrent approvals are all stored', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `s${index}`)
  await Promise.all(names.map((name) => approveContent(user, '/a', servers([name, '1']))))
  expect([...(await readApprovedContent(user, '/a')).servers.keys()].sort()).toEqual(names)
})

test('an invalid file approves nothing and is not overwritten; an invalid entry is not approved', async () => {
  const file = trustedFilesPath(user)
  writeFileSync(file, '{ "projects": ')
  await expect(readApprovedContent(user, '/a')).rejects.toThrow('repair or delete it')
  await expect(approveContent(user, '/a', servers(['x', '1']))).rejects.toThrow('cannot be stored')
  expect(readFileSync(file, 'utf8')).toBe('{ "projects": ')
  writeFileSync(
    file,
    JSON.stringify({ projects: { '/a': { servers: { x: 'no', y: { hash: 1 } }, config: [] } } }),
  )
  expect(await readApprovedContent(user, '/a')).toEqual(nothingApproved)
})

test('the hash depends on the content, not on its formatting', () => {
  expect(contentHash({ a: 1, b: [2] })).toBe(contentHash({ b: [2], a: 1 }))
  expect(contentHash({ a: 1 })).not.toBe(contentHash({ a: 2 }))
})

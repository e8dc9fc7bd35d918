import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const withoutProc = ['--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh']
const probe = spawnSync('unshare', [...withoutProc, 'true'], { encoding: 'utf8' })
const problem = probe.status === 0 ? null : `/proc cannot be hidden: ${probe.error ?? probe.stderr}`

test.runIf(canTest(problem))('curfew timeout --json reports null survivors without /proc', () => {
  const args = ['timeout', '--json', '10', 'sh', '-c', 'sleep 1000 & echo up']
  const { stdout, stderr, status } = spawnSync('unshare', [...withoutProc, process.execPath, bin, ...args], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ stdout: 'up\n', survivors: null, containment: 'group' })
})

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const withoutProc = ['--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh']
const probe = spawnSync('unshare', [...withoutProc, 'true'], { encoding: 'utf8' })
if (probe.status !== 0)
  process.stdout.write(`the test without /proc is skipped: ${probe.error ?? probe.stderr}\n`)

test.skipIf(probe.status !== 0)('curfew timeout --json reports null survivors without /proc', () => {
  const args = ['timeout', '--json', '10', 'sh', '-c', 'sleep 1000 & echo up']
  const { stdout, stderr, status } = spawnSync('unshare', [...withoutProc, process.execPath, bin, ...args], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ stdout: 'up\n', survivors: null, containment: 'group' })
})

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const doctor = (...args: string[]) =>
  spawnSync(process.execPath, [bin, 'doctor', ...args], { encoding: 'utf8' })

test.runIf(process.platform === 'linux')('curfew doctor says how commands are held here', () => {
  const { stdout, status } = doctor()
  expect(status).toBe(0)
  expect(stdout).toMatch(/^✓ node +v\d+/m)
  expect(stdout).toMatch(/^[✓✗] cgroup /m)
  expect(stdout).toMatch(/^[✓✗] namespace /m)
  expect(stdout).toMatch(/^✓ markers /m)
  expect(stdout).toMatch(/^commands are held by (cgroup|markers)$/m)
})

test('--json, --help and a wrong option', () => {
  const { findings } = JSON.parse(doctor('--json').stdout) as { findings: { subject: string }[] }
  expect(findings.map(({ subject }) => subject)).toEqual(['node', 'cgroup', 'namespace', 'markers'])
  expect(doctor('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Usage: curfew doctor'),
  })
  expect(doctor('--nope')).toMatchObject({ status: 2 })
})

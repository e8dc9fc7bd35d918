import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { homedir } from 'node:os'
import { expect, test } from 'vitest'
import { hasProgram } from '../../../test/support/can-test.ts'

test.runIf(hasProgram('bash'))('descriptors that a process inherited are not passed to commands', () => {
  const folder = openSync(homedir(), 'r')
  const script = `
    import { runProcess } from '${new URL('../dist/internal/index.js', import.meta.url)}'
    const argv = ['bash', '-c', 'readlink /proc/$$/fd/40 /proc/$$/fd/41; cat <&40']
    const { stdout, exitCode } = await runProcess({ argv, cwd: '/' })
    process.stdout.write(exitCode + ' ' + stdout)`
  const stdio = ['ignore', 'pipe', 'inherit', ...Array(37).fill('ignore'), folder] as never
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio,
    encoding: 'utf8',
  })
  closeSync(folder)
  expect(stdout).toBe('0 /dev/null\n')
})

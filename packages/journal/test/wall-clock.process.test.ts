import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const clockJumps = new URL('../src/store/clock-jumps.ts', import.meta.url).href
const wallClock = new URL('../src/store/wall-clock.ts', import.meta.url).href
const program = `
  import { openSync } from 'node:fs'
  import { ClockJumps } from '${clockJumps}'
  import { systemWallClock } from '${wallClock}'
  const jumps = new ClockJumps(systemWallClock)
  let error
  while (error === undefined) try { openSync('/dev/null') } catch (thrown) { error = thrown }
  console.log(error.code, jumps.check())
`

test.runIf(process.platform === 'linux')('the clock has not jumped if no file can be opened', () => {
  const shell = 'ulimit -n 128 && exec "$0" --input-type=module --no-warnings -e "$1"'
  expect(execFileSync('bash', ['-c', shell, process.execPath, program], { encoding: 'utf8' })).toBe(
    'EMFILE 0\n',
  )
})

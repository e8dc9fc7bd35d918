import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { hasProgram } from '../../../test/support/can-test.ts'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { createProcessGroup } from '../src/process/process-group.ts'

const hasPs = hasProgram('ps', '-axo', 'pid=,ppid=,pgid=,stat=')

// The macOS implementation, tested on Linux.
test.runIf(linux && hasPs)('finds the group, and descendants in other sessions, without /proc', async () => {
  const tag = newTag()
  const group = createProcessGroup('darwin')
  const argv = ['-c', 'setsid sleep $0 & sleep $0 & wait', tag]
  group.spawn((options) => spawn('sh', argv, options), { detached: true, stdio: 'ignore' }, [])
  await until(() => left(tag).length === 3)
  expect(group.members().toSorted()).toEqual(left(tag).toSorted())
  group.kill()
  await until(() => left(tag).length === 0)
  expect(left(tag)).toEqual([])
  expect(group.members()).toEqual([])
})

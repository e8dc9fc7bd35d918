import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
import { AttachedRuntimes } from './attached-runtimes.ts'

test('a runtime that was added again stays when the first one who added it removes it', async () => {
  const runtime = createRuntime({ log: () => {} })
  const runtimes = new AttachedRuntimes({
    idOf: (_, uid) => `m4tq-${uid}`,
    find: () => ({ runtime, uid: 1 }),
  })
  const removeFirst = runtimes.add(runtime)
  const removeSecond = runtimes.add(runtime)
  removeFirst()
  expect(runtimes.find('m4tq-1')).toEqual({ runtime, uid: 1 })
  removeSecond()
  expect(runtimes.find('m4tq-1')).toBeUndefined()
  await runtime.close()
})

import { expect, test } from 'vitest'
import { left, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { setUpCommands } from './support/command-setup.ts'

test('of 100 commands in the background, 16 run, and all end with their conversation', async () => {
  const setup = setUpCommands()
  const tag = newTag()
  const results = await setup.conversation.execute(
    Array.from({ length: 100 }, (_, index) => ({
      id: String(index),
      name: 'run_command',
      params: { command: `sleep ${tag}`, background: true },
    })),
  )
  expect(results.filter((result) => 'detached' in result)).toHaveLength(16)
  expect(results.at(-1)).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: expect.stringContaining('stop one of the tasks'),
  })
  expect(left(tag).length).toBeGreaterThanOrEqual(16)
  await setup.conversation.close()
  await untilNoneLeft(tag)
}, 60_000)

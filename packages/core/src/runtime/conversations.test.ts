import { expect, test, vi } from 'vitest'
import type { LogEntry } from '../options/log.ts'
import { SpillDirectory } from '../output/spill-directory.ts'
import { defineTool } from '../tool/define-tool.ts'
import { createRuntime } from './create-runtime.ts'

test('files of a conversation inside a call that cannot be removed are logged, and do not affect the call', async () => {
  const logged: LogEntry[] = []
  const runtime = createRuntime({ log: (entry) => logged.push(entry) })
  runtime.register(
    defineTool({
      name: 'agent',
      description: 'Answer a question.',
      readOnly: true,
      execute: (_, { conversation }) => conversation().id,
    }),
  )
  vi.spyOn(SpillDirectory.prototype, 'close').mockRejectedValueOnce(new Error('the disk failed'))
  const [result] = await runtime.execute([{ id: '1', name: 'agent' }])
  expect(result).toMatchObject({ status: 'success', value: 'c1' })
  await vi.waitFor(() => expect(logged).toHaveLength(1))
  expect(logged[0]!.message).toBe('the files of a conversation could not be removed')
  await runtime.close()
})

import { defineTool } from '@curfew/core'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { callsIn, newRuntime, newStateFolder, openTestJournal } from './support/journal-setup.ts'

test('the output and the duration of a running call are updated every few seconds', async () => {
  const { journal } = await openTestJournal(newStateFolder())
  const runtime = newRuntime()
  let print = (_text: string): void => {}
  let release = (): void => {}
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait.',
      execute: (_params, { output }) =>
        new Promise<void>((resolve) => {
          print = output
          release = resolve
        }),
    }),
  )
  journal.attach(runtime)
  const ended = runtime.execute([{ id: '1', name: 'wait' }])
  const row = () => callsIn(journal.path)[0]!
  await until(() => callsIn(journal.path)[0]?.status === 'executing')
  expect(row()).toMatchObject({ output_tail: '', output_bytes: 0, duration_ms: null })
  print('first\n')
  await until(() => row().output_tail === 'first\n')
  expect(row().duration_ms).toBeGreaterThan(4_000)
  print('second\n')
  await until(() => row().output_bytes === 13)
  expect(row().duration_ms).toBeGreaterThan(9_000)
  release()
  await ended
  await journal.flush()
  expect(row()).toMatchObject({ status: 'success', output_tail: 'first\nsecond\n' })
})

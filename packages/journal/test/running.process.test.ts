import { defineTool } from '@curfew/core'
import { readJournal } from '@curfew/journal'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { callsIn, newRuntime, newStateFolder, openTestJournal } from './support/journal-setup.ts'
import { startRecording } from './support/recording-process.ts'

test('the output of a running call is recorded at once, and again while it grows', async () => {
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
  // Without output, it is updated every five seconds.
  expect(row().duration_ms).toBeLessThan(4_500)
  print('second\n')
  await until(() => row().output_bytes === 13)
  release()
  await ended
  await journal.flush()
  expect(row()).toMatchObject({ status: 'success', output_tail: 'first\nsecond\n' })
})

test('the output of a call whose process was killed is kept', async () => {
  const stateFolder = newStateFolder()
  const { run, kill } = await startRecording(stateFolder, '/a', 'one')
  const [call] = [...readJournal({ stateFolder, project: '/a' }).calls()]
  expect(call).toMatchObject({ id: `${run}-1`, status: 'executing' })
  const read = () => [...readJournal({ stateFolder, project: '/a' }).calls()][0]!
  await until(() => read().outputBytes > 0)
  await kill()
  await until(() => read().status === 'lost')
  expect(read()).toMatchObject({ lostIn: 'executing', outputTail: 'hello', outputBytes: 5 })
})

import { EventEmitter } from 'node:events'
import { Text } from 'ink'
import { type ReactNode, useSyncExternalStore } from 'react'
import { expect, test } from 'vitest'
import { StateStore } from '../state-store.ts'
import { renderApp } from './render-app.ts'

class FakeTerminal extends EventEmitter {
  readonly isTTY = true
  readonly columns = 80
  readonly rows = 60
  readonly written: string[] = []

  write(data: string, done?: () => void): boolean {
    this.written.push(data)
    done?.()
    return true
  }
}

interface Shown {
  readonly rows: readonly string[]
}

function Rows({ store }: { store: StateStore<Shown> }): ReactNode {
  const { rows } = useSyncExternalStore(store.subscribe, store.getSnapshot)
  return <Text>{rows.join('\n')}</Text>
}

/** What is written when a row in the middle of a frame changes, and when nothing changes. */
async function changeOf(count: number): Promise<{ readonly changed: string; readonly same: string }> {
  const stdout = new FakeTerminal()
  const rows = Array.from({ length: count }, (_, index) => `row ${index}`)
  const store = new StateStore<Shown>({ rows })
  const app = renderApp(<Rows store={store} />, {
    stdout: stdout as unknown as NodeJS.WriteStream,
    patchConsole: false,
  })
  const written = async (): Promise<string> => {
    await app.waitUntilRenderFlush()
    return stdout.written.splice(0).join('')
  }
  await written()
  store.set({ rows: rows.with(2, 'row X') })
  const changed = await written()
  store.set({ rows: rows.with(2, 'row X') })
  const same = await written()
  app.unmount()
  return { changed, same }
}

test('what is written for a change of one row does not grow with the number of rows', async () => {
  const few = await changeOf(11)
  const many = await changeOf(51)
  expect(few.changed).toBe('\x1b[?2026h\x1b[11A\x1b[2E\x1b[5G\x1b[KX\n\x1b[8E\x1b[?2026l')
  expect(many.changed).toHaveLength(few.changed.length + 1)
})

test('a frame without changes writes nothing', async () => {
  expect((await changeOf(10)).same).toBe('')
})

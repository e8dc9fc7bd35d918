import { within } from '../gateway/wire.ts'
import { serve } from '../side.ts'
import { type ConnectedClient, connectors, type LibraryName } from './library-connectors.ts'
import type { GatewayTarget } from './stage.ts'

/** A client library in its own process. */
export interface LibraryTasks {
  open(name: LibraryName, target: GatewayTarget): Promise<void>
  list(): Promise<string[]>
  /** Returns what a model would read: the text of the result or of the error. */
  call(tool: string, text: string): Promise<string>
  /** Starts a call without waiting for it. */
  begin(tool: string, text: string): Promise<void>
  /** Cancels the call that was begun, and waits for its end. */
  cancel(): Promise<void>
  close(): Promise<void>
}

const limitMs = 60_000
let client: ConnectedClient | undefined
let begun: { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined

// A library that forgets to catch must not hide the result of the others.
process.on('unhandledRejection', () => {})

serve<LibraryTasks>({
  async open(name, target) {
    client = await within(limitMs, connectors[name](target))
  },
  list: () => within(limitMs, client!.list()),
  call: (tool, text) => within(limitMs, client!.call(tool, { text }, undefined).catch(String)),
  async begin(tool, text) {
    const controller = new AbortController()
    const ended = client!.call(tool, { text }, controller.signal).catch(String)
    begun = { controller, ended }
  },
  async cancel() {
    begun!.controller.abort()
    await within(limitMs, begun!.ended)
  },
  close: () => within(limitMs, client!.close()),
})

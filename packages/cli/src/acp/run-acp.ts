import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { watchInterruptions } from '../agent/interruption.ts'
import type { PromptInput } from '../agent/prompt-run.ts'
import { writeError } from '../write.ts'
import { createAcpApp } from './acp-app.ts'

export type AcpInput = Pick<PromptInput, 'model' | 'mode' | 'set'>

/** A longer message ends the connection. An image in a prompt is base64. */
const maxMessageBytes = 64 << 20

/** `curfew acp`: serves the agent to an editor, over standard input and output, until the editor closes them. */
export async function runAcp(input: AcpInput): Promise<number> {
  const interruption = watchInterruptions()
  const log = (message: string): void => writeError(`curfew acp: ${message}\n`)
  const { app, close } = createAcpApp({ ...input, log })
  const stream = ndJsonStream(
    Writable.toWeb(process.stdout),
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    { maxMessageBytes },
  )
  const connection = app.connect(stream)
  interruption.signal.addEventListener('abort', () => connection.close(), { once: true })
  await connection.closed
  await close()
  interruption.dispose()
  // A provider's package may leave something behind that keeps the process alive.
  setTimeout(() => process.exit(), 500).unref()
  return interruption.exitCode() ?? 0
}

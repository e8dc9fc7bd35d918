import { interrupt } from './interrupt.ts'

/** Long enough for what was typed before; too short to answer a question that has not been read. */
const discardMs = 100
const controlC = '\u0003'

/** Drops keys that were typed before a question appears, so that they do not answer it. Ctrl-C interrupts the process. */
export async function discardTyped(): Promise<void> {
  const { stdin } = process
  let isInterrupted = false
  const onData = (data: Buffer): void => {
    isInterrupted ||= data.includes(controlC)
  }
  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  await new Promise((resolve) => setTimeout(resolve, discardMs))
  stdin.off('data', onData)
  stdin.pause()
  stdin.setRawMode(false)
  if (isInterrupted) await new Promise<void>((resolve) => interrupt(resolve))
}

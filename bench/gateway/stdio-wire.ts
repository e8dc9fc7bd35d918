import type { Readable, Writable } from 'node:stream'
import type { Wire, WireEvents } from './wire.ts'

/** One message per line. */
export function stdioWire(input: Writable, output: Readable, events: WireEvents): Wire {
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) events.message(line)
  })
  output.on('end', () => events.lost(new Error('the server closed its output')))
  input.on('error', events.lost)
  return {
    send(text, _failed, sent) {
      input.write(`${text}\n`)
      sent?.()
    },
    close: () => input.end(),
  }
}

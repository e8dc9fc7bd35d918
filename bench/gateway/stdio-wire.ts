import type { StdioServer } from './server-process.ts'
import type { Wire, WireEvents } from './wire.ts'

/** One message per line. */
export function stdioWire({ stdin, stdout, stderrTail, stop }: StdioServer, events: WireEvents): Wire {
  let rest = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) events.message(line)
  })
  stdout.on('end', () => events.lost(new Error(`the server closed its output; stderr: ${stderrTail()}`)))
  stdin.on('error', events.lost)
  return {
    send(text, _failed, sent) {
      stdin.write(`${text}\n`)
      sent?.()
    },
    close: stop,
  }
}

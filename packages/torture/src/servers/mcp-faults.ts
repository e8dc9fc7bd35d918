import { spawn } from 'node:child_process'
import { closeSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordEvent } from '../tools/record-event.ts'

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
}

type Send = (message: object) => void

/** How a server misbehaves. */
export interface Fault {
  start?(): void
  /** Returns `true` if it has handled the message. */
  receive?(message: Message, send: Send): boolean | undefined
  /** Goes on when its input ends. */
  readonly staysAfterEnd?: true
}

const isCall = ({ method }: Message): boolean => method === 'tools/call'
/** The faults of a call apply to the tool `quick` only; so another tool shows whether the server still works. */
const isFaulty = (message: Message): boolean => isCall(message) && message.params?.name === 'quick'
const result = (text: string): object => ({ content: [{ type: 'text', text }] })
const on = (
  condition: (message: Message) => boolean,
  act: (message: Message, send: Send) => void,
): Fault => ({
  receive(message, send) {
    if (!condition(message)) return false
    act(message, send)
    return true
  },
})
const method =
  (name: string) =>
  (message: Message): boolean =>
    message.method === name

let calls = 0
/** The same faults for the whole life of the server, or only for its first call. */
const once = (act: (message: Message, send: Send) => void): Fault =>
  on((message) => isFaulty(message) && calls++ === 0, act)

export const faults: Readonly<Record<string, Fault>> = {
  'silent-start': on(method('initialize'), () => {}),
  'exits-at-start': { start: () => process.exit(3) },
  'crashes-at-start': {
    start() {
      process.stderr.write('Error: the configuration is missing\n')
      process.exit(1)
    },
  },
  'prints-at-start': { start: () => void process.stdout.write('Welcome to the server!\n{ "port": 8080 }\n') },
  'silent-list': on(method('tools/list'), () => {}),
  'endless-list': on(method('tools/list'), ({ id }, send) => {
    send({ id, result: { tools: [], nextCursor: String(Math.random()) } })
  }),
  'broken-list': on(method('tools/list'), ({ id }, send) => {
    send({
      id,
      result: {
        tools: [
          { name: 'quick', description: 'Return a text.', inputSchema: { type: 'object' } },
          { name: 42 },
          null,
          { name: 'no-schema' },
          { name: 'bad-schema', inputSchema: { type: 'object', properties: { a: { type: 'nonsense' } } } },
          { name: 'quick', description: 'The same name again.', inputSchema: { type: 'object' } },
        ],
      },
    })
  }),
  'silent-call': on(isFaulty, ({ params }) => recordEvent('started', params?.name)),
  'blocks-in-call': on(isFaulty, () => {
    for (;;);
  }),
  'crashes-in-call': once(() => process.exit(1)),
  'killed-in-call': once(() => process.kill(process.pid, 'SIGKILL')),
  'closes-output-in-call': once(() => {
    // It does not notice that its answers arrive nowhere.
    process.stdout.on('error', () => {})
    process.stdout.end()
    // Node keeps it open, unless it is a socket.
    closeSync(1)
    setInterval(() => {}, 1_000)
  }),
  'answers-twice': on(isFaulty, ({ id }, send) => {
    send({ id, result: result('the first answer') })
    send({ id, result: result('the second answer') })
  }),
  'answers-unknown-id': on(isFaulty, ({ id }, send) => {
    send({ id: 'never-asked', result: result('not the answer') })
    send({ id: 999_999, error: { code: 1, message: 'not the answer' } })
    send({ id, result: result('the answer') })
  }),
  'answers-other-call': on(
    isCall,
    (() => {
      const waiting: Message[] = []
      return (message: Message, send: Send): void => {
        waiting.push(message)
        if (waiting.length < 2) return
        // In the reverse order, as a server may.
        for (const { id, params } of waiting.reverse())
          send({ id, result: result(`answer to ${JSON.stringify(params?.arguments)}`) })
      }
    })(),
  ),
  'no-content': on(isFaulty, ({ id }, send) => send({ id, result: {} })),
  'content-is-no-list': on(isFaulty, ({ id }, send) => send({ id, result: { content: 'a string' } })),
  'result-is-null': on(isFaulty, ({ id }, send) => send({ id, result: null })),
  'neither-result-nor-error': on(isFaulty, ({ id }, send) => send({ id })),
  'error-without-message': on(isFaulty, ({ id }, send) => send({ id, error: {} })),
  'error-and-result': on(isFaulty, ({ id }, send) =>
    send({ id, result: result('fine'), error: { code: 1, message: 'not' } }),
  ),
  'broken-json': on(isFaulty, () => void process.stdout.write('{"jsonrpc": "2.0", "id": \n')),
  'prints-in-call': on(isFaulty, ({ id }, send) => {
    process.stdout.write('DEBUG: handling the call\n')
    send({ id, result: result('the answer') })
  }),
  'half-a-line': on(
    isFaulty,
    () => void process.stdout.write('{"jsonrpc": "2.0", "id": 1, "result": {"content": ['),
  ),
  'huge-line': on(isFaulty, ({ id }, send) => send({ id, result: result('x'.repeat(100_000_000)) })),
  'line-without-end': on(isFaulty, () => {
    const chunk = Buffer.alloc(1_048_576, 'x')
    let left = 1_024
    const write = (): void => {
      while (left-- > 0) if (!process.stdout.write(chunk)) return void process.stdout.once('drain', write)
    }
    write()
  }),
  'floods-notifications': on(isFaulty, ({ id }, send) => {
    for (let index = 0; index < 200_000; index++)
      send({ method: 'notifications/message', params: { level: 'info', data: `message ${index}` } })
    send({ id, result: result('the answer') })
  }),
  'floods-stderr': on(isFaulty, ({ id }, send) => {
    const line = `${'x'.repeat(1_023)}\n`
    // `process.stderr` would keep in memory what nobody reads.
    for (let index = 0; index < 100_000; index++) writeBlocking(2, line)
    send({ id, result: result('the answer') })
  }),
  'list-changes-without-end': {
    start: () =>
      void setInterval(() => {
        process.stdout.write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
      }, 5),
  },
  'invalid-utf8': on(isFaulty, ({ id }) => {
    const [before, after] = JSON.stringify({ jsonrpc: '2.0', id, result: result('before|after') }).split('|')
    process.stdout.write(
      Buffer.concat([Buffer.from(before!), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(`${after}\n`)]),
    )
  }),
  'asks-for-sampling': on(isFaulty, (message, send) => {
    send({ id: 'sampling-1', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })
    const timer = setInterval(() => {
      if (!answered) return
      clearInterval(timer)
      send({ id: message.id, result: result('the answer') })
    }, 10)
  }),
  'ignores-sigterm': {
    start() {
      process.on('SIGTERM', () => recordEvent('sigterm')).on('SIGINT', () => {})
      // Without it, nothing keeps the process running when its input has ended.
      setInterval(() => {}, 1_000)
    },
    staysAfterEnd: true,
  },
  'starts-children': {
    start() {
      // They enrol themselves, because this process may be in a namespace, where it cannot tell their pids.
      const program = fileURLToPath(new URL('../../fixtures/process.pl', import.meta.url))
      const roster = join(dirname(process.env.TORTURE_EVENTS!), 'roster')
      // A child that stays when the server ends, in a session of its own.
      spawn('perl', [program, roster], { detached: true, stdio: 'ignore' }).unref()
      spawn('perl', [program, roster], { stdio: ['ignore', 'inherit', 'inherit'] }).unref()
    },
  },
}

/** Waits while the pipe is full. */
function writeBlocking(descriptor: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

let answered = false
const { receive } = faults['asks-for-sampling']!
Object.assign(faults['asks-for-sampling']!, {
  receive(message: Message, send: Send) {
    if (message.id === 'sampling-1') answered = true
    return receive!(message, send)
  },
})

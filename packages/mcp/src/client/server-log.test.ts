import { expect, test } from 'vitest'
import type { ServerStatus } from './lifecycle/server-status.ts'
import { ServerLog, type ServerLogEntry } from './server-log.ts'

function setUp() {
  const entries: ServerLogEntry[] = []
  const log = new ServerLog('db', (entry) => entries.push(entry))
  const enter = (state: ServerStatus['state'], more: Partial<ServerStatus> = {}): void =>
    log.onStatus({ state, since: 0, pid: null, calls: 0, lastError: null, ...more })
  return { log, enter, texts: () => entries.map(({ kind, text }) => `${kind} ${text}`) }
}

test('records what happens to a server once', () => {
  const { log, enter, texts } = setUp()
  enter('starting')
  enter('running', { pid: 7 })
  log.onEvent('the MCP server db was lost: it exited with code 1')
  enter('failed', { lastError: { message: 'the MCP server db was lost: it exited with code 1', at: 0 } })
  enter('stopped')
  enter('starting')
  enter('running')
  enter('stopped')
  expect(texts()).toEqual([
    'event starting',
    'event started, pid 7',
    'event was lost: it exited with code 1',
    'event starting',
    'event connected',
    'event stopped',
  ])
})

test('records what the server prints and logs, within a limit', () => {
  const { log, texts } = setUp()
  log.onStderr('ready')
  const message = (params: Record<string, unknown>) =>
    log.onNotification({ jsonrpc: '2.0', method: 'notifications/message', params })
  message({ level: 'info', data: 'a' })
  message({ level: 'error', logger: 'sql', data: { code: 1 } })
  message({ level: 'info', data: 'x'.repeat(5_000) })
  log.onNotification({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x' } })
  const [, , , long] = texts()
  expect(texts().slice(0, 3)).toEqual(['stderr ready', 'log info: a', 'log error sql: {"code":1}'])
  expect([texts().length, long?.length]).toEqual([4, 'log '.length + 4_001])
})

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LogOptions, openLog, type ProjectLog } from './open-log.ts'

let state: string
let warnings: string[]
let log: ProjectLog | null

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'curfew-log-'))
  warnings = []
  log = null
})

afterEach(async () => {
  await log?.close()
  rmSync(state, { recursive: true, force: true })
})

function open(options: Partial<LogOptions> = {}): ProjectLog {
  const warn = (message: string): void => void warnings.push(message)
  log = openLog({ stateFolder: state, project: '/project', program: 'test', warn, ...options })
  return log
}

async function lines({ path, flush }: ProjectLog): Promise<Record<string, unknown>[]> {
  await flush()
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line has time, level, process, program, fields and message', async () => {
  const log = open()
  expect(log.path).toMatch(/\/log\/[0-9a-f]{16}\/curfew\.log$/)
  log.write('warn', 'something failed', { call: 'm4tq-17', code: undefined, durationMs: 3 })
  expect(await lines(log)).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      pid: process.pid,
      program: 'test',
      call: 'm4tq-17',
      durationMs: 3,
      msg: 'something failed',
    },
  ])
})

test('a project has its own file', () => {
  expect(open().path).not.toBe(open({ project: '/other' }).path)
})

test('lines below the level are left out, and create no file', async () => {
  const log = open()
  log.write('debug', 'hidden')
  await log.flush()
  expect(readdirSync(state)).toEqual([])
  log.write('info', 'shown')
  expect((await lines(log)).map(({ msg }) => msg)).toEqual(['shown'])
  expect([log.isEnabled('debug'), log.isEnabled('info')]).toEqual([false, true])
})

test('the level debug includes everything, the level error only errors', async () => {
  const all = open({ level: 'debug' })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) all.write(level, level)
  expect(await lines(all)).toHaveLength(4)
  const errors = open({ level: 'error', project: '/other' })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) errors.write(level, level)
  expect((await lines(errors)).map(({ level }) => level)).toEqual(['error'])
  await all.close()
})

test('whatever strings contain, a line is one line of printable characters, at most 64 kB long', async () => {
  const log = open()
  const hostile = '\n\r\u0000\u001b[31m\u009b31m\u202e\u2028"\\%s%d%%\ud800'
  log.write('info', hostile, { tool: hostile, error: hostile.repeat(1_000), callId: '\u0000'.repeat(9_999) })
  await log.flush()
  const text = readFileSync(log.path, 'utf8')
  expect(text).toMatch(/^[ -~]+\n$/)
  expect(text.length).toBeLessThan(65_536)
  expect(await lines(log)).toMatchObject([{ msg: hostile, tool: hostile }])
})

test('a file that cannot be written is reported', async () => {
  writeFileSync(join(state, 'log'), 'not a folder')
  const log = open()
  log.write('info', 'lost')
  await log.close()
  expect(warnings).toEqual([expect.stringContaining('the log cannot be written: ')])
})

test('lines that were dropped are counted in the next one that is written', async () => {
  const log = open({ maxBytes: 100_000_000 })
  for (let number = 0; number < 4_000; number++) log.write('info', 'x'.repeat(2_000))
  await log.flush()
  log.write('info', 'last')
  const written = await lines(log)
  const { dropped, level } = written.at(-2)!
  expect([level, written.at(-1)!.msg]).toEqual(['warn', 'last'])
  expect(Number(dropped) + written.length - 2).toBe(4_000)
})

import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
/** The gateway's temporary folder. */
let folder: string
let gateway: ChildProcess

temporaryFolders((folders) => {
  home = folders.home
  folder = folders.project
})

beforeEach(() => {
  const script = join(home, '.config/curfew/extensions/scripts/long')
  mkdirSync(script, { recursive: true })
  writeFileSync(join(script, 'tool.json'), '{ "description": "Print much." }')
  writeFileSync(join(script, 'script.js'), 'process.stdout.write("x".repeat(100_000))')
  const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', TMPDIR: folder }
  gateway = startCurfew(['mcp'], env, home, 'pipe')
})

afterEach(() => {
  gateway.kill('SIGKILL')
})

it.each([
  ['ends', () => gateway.stdin!.end()],
  ['is killed', () => gateway.kill('SIGKILL')],
])(
  'the file of a long result exists while the gateway runs, and is removed when it %s',
  async (_how, end) => {
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    })
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: { name: 'script_long', arguments: {} } })
    const path = await printed(/the complete result is in (\S+) /)
    expect(path.startsWith(folder)).toBe(true)
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(100_000))
    const ended = new Promise((resolve) => gateway.once('close', resolve))
    end()
    await ended
    // The watchdog may need a moment.
    await expect.poll(() => remainingFiles(), { timeout: 10_000 }).toEqual([])
    expect(existsSync(join(home, '.local/state/curfew/results'))).toBe(false)
  },
)

const clientInfo = { name: 'test', version: '1' }

function remainingFiles(): string[] {
  return readdirSync(folder).filter((name) => name !== 'node-compile-cache')
}

function send(message: object): void {
  gateway.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function printed(pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    gateway.stdout!.on('data', (chunk) => {
      text += String(chunk)
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSession, restoreHistory } from '@curfew/agent'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linux } from '../../../test/support/processes.ts'
import { Random } from '../../../test/support/random.ts'
import { scaled } from '../../../test/support/scaled.ts'
import { testSeed } from '../../../test/support/seed.ts'
import { until } from '../../../test/support/until.ts'

const fixture = fileURLToPath(new URL('fixtures/append-records.js', import.meta.url))
let state: string
let started: ChildProcess[]

beforeEach(() => {
  state = mkdtempSync(join(realpathSync(tmpdir()), 'state-'))
  started = []
})

afterEach(async () => {
  await Promise.all(started.map(kill))
  rmSync(state, { recursive: true, force: true })
})

interface Writer {
  readonly child: ChildProcess
  readonly output: () => string
  readonly id: () => string
  readonly path: () => string
  readonly flushed: () => number
}

async function startWriter(id?: string): Promise<Writer> {
  const args = [fixture, state, String(testSeed()), ...(id === undefined ? [] : [id])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  const field = (index: number) => /^session (\S+) (\S+)\n/m.exec(text)![index]!
  await until(() => {
    if (child.exitCode !== null) throw new Error(`the writer ended: ${text}`)
    return /^session .*\n/m.test(text)
  }, 60_000)
  return {
    child,
    output: () => text,
    id: () => field(1),
    path: () => field(2),
    flushed: () => Number([...text.matchAll(/^flushed (\d+)\n/gm)].at(-1)?.[1] ?? 0),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

/** The numbers of the prompts in the file. */
async function numbersIn(path: string): Promise<number[]> {
  const { items } = restoreHistory((await readSession(path)).records)
  for (const item of items) {
    const [part] = item.type === 'user' ? item.parts : []
    expect(part?.type === 'text' && part.text.startsWith(`prompt ${item.id} `)).toBe(true)
  }
  return items.map(({ id }) => id)
}

const rounds = scaled(6)

test(`a killed process loses no record that was flushed, and the next one continues (${rounds} rounds)`, async () => {
  let id: string | undefined
  let before = 0
  const random = new Random(testSeed())
  for (let round = 0; round < rounds; round++) {
    const writer = await startWriter(id)
    if (id !== undefined) expect(writer.id()).toBe(id)
    id = writer.id()
    const first = writer.flushed()
    await until(() => writer.flushed() > first, 60_000)
    await new Promise((resolve) => setTimeout(resolve, random.below(30)))
    await kill(writer.child)
    expect(writer.output()).not.toMatch(/problem|notice|Error/)
    const numbers = await numbersIn(writer.path())
    expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1))
    expect(numbers.length).toBeGreaterThanOrEqual(writer.flushed())
    expect(writer.flushed()).toBeGreaterThan(before)
    before = numbers.length
  }
})

test.runIf(linux)('a process that resumes a session in use continues in a copy', async () => {
  const first = await startWriter()
  await until(() => first.flushed() > 0, 60_000)
  const second = await startWriter(first.id())
  await until(() => second.flushed() > 0, 60_000)
  expect(second.output()).toContain(
    `notice session ${first.id()} is in use by another process, so this conversation continues in a copy: ${second.id()}`,
  )
  expect(second.path()).not.toBe(first.path())
  await Promise.all([kill(first.child), kill(second.child)])
  expect(first.output() + second.output()).not.toMatch(/problem|Error/)
  for (const { path, flushed } of [first, second]) {
    const numbers = await numbersIn(path())
    expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1))
    expect(numbers.length).toBeGreaterThanOrEqual(flushed())
  }
})

test.runIf(linux)('a FIFO in place of a session file is rejected immediately', async () => {
  const path = join(state, 'fifo.jsonl')
  execFileSync('mkfifo', [path])
  await expect(readSession(path)).rejects.toThrow('expected a regular file of this user')
  expect(existsSync(path)).toBe(true)
})

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { readProcEntry } from '../src/process/proc-table.ts'
import { processIdentity } from '../src/process/process-identity.ts'
import { runProcess } from '../src/process/run-process.ts'

let folder: string
const started: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-temporary-'))
})

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe.runIf(linux)('the watchdog', () => {
  test.each(['auto', 'markers'])(
    'is replaced when it is killed, and ends the commands (%s)',
    async (containment) => {
      const tag = newTag()
      const runtime = start('ten-commands.js', tag, containment)
      await until(() => left(tag).filter((pid) => pid !== runtime.pid).length >= 40)
      const [first] = watchdogsOf(runtime)
      process.kill(first!, 'SIGKILL')
      await until(() => watchdogsOf(runtime).some((pid) => pid !== first))
      const [second] = watchdogsOf(runtime)
      expect(second).toBeGreaterThan(0)
      expect(second).not.toBe(first)
      runtime.kill('SIGKILL')
      await until(() => left(tag).length === 0 && readdirSync(folder).length === 0)
      expect(left(tag)).toEqual([])
      expect(readdirSync(folder)).toEqual([])
    },
  )

  test('is replaced by the next command if it was stopped', async () => {
    const end = new AbortController()
    const running = runProcess({ argv: ['sleep', '60'], signal: end.signal })
    const [first] = watchdogsOf(process)
    process.kill(first!, 'SIGSTOP')
    await until(() => readProcEntry(first!)?.state === 'T')
    await runProcess({ argv: ['true'] })
    await until(() => watchdogsOf(process).some((pid) => pid !== first))
    end.abort()
    await running
  })
})

describe.runIf(linux)('the temporary folder of a runtime', () => {
  const [, startTime, namespace] = processIdentity.split('-')
  const folderOf = (identity: string): string => join(folder, `curfew-${identity}-1`)

  test('is removed by the next start if its owner was killed with its watchdog', async () => {
    const stale = [`4194303-1-${namespace}`, `${process.pid}-${Number(startTime) - 1}-${namespace}`].map(
      folderOf,
    )
    for (const path of stale) mkdirSync(join(path, 'commands'), { recursive: true })
    await ended(start('run-command.js', 'true'))
    expect(readdirSync(folder)).toEqual([])
  })

  test('is kept while its owner is alive or in another PID namespace; symbolic links are not followed', async () => {
    const target = join(folder, 'of-the-user')
    mkdirSync(target)
    mkdirSync(folderOf(processIdentity))
    mkdirSync(folderOf(`${process.pid}-1-1`))
    symlinkSync(target, folderOf(`4194303-1-${namespace}`))
    const before = readdirSync(folder)
    await ended(start('run-command.js', 'true'))
    expect(readdirSync(folder)).toEqual(before)
    expect(existsSync(target)).toBe(true)
  })

  test('is recreated by the next command if it was removed', async () => {
    const { stdout } = start('commands-and-cleaning.js')
    let text = ''
    stdout!.on('data', (chunk) => {
      text += String(chunk)
    })
    await until(() => text.includes('\n'))
    expect(JSON.parse(text)).toEqual([1, 'exited one\n', 'exited two\n'])
  })
})

function start(program: string, ...args: string[]): ChildProcess {
  const path = fileURLToPath(new URL(`./fixtures/${program}`, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  })
  started.push(child)
  return child
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()))
}

function watchdogsOf({ pid }: Pick<ChildProcess, 'pid'>): number[] {
  return left('curfew-watchdog').filter((other) => readProcEntry(other)?.parent === pid)
}

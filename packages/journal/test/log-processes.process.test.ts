import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openLog } from '@curfew/journal'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

let state: string
let path: string

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'curfew-log-'))
  path = openLog({ stateFolder: state, project: '/project', program: 'test', warn: () => {} }).path
})

afterEach(() => rmSync(state, { recursive: true, force: true }))

interface Line {
  readonly program: string
  readonly number: number
}

function readLines(): Line[] {
  const folder = dirname(path)
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.lock'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Line)
}

test('four processes write and rotate at once: no line is lost, torn or written twice', async () => {
  const count = 500
  const programs = ['a', 'b', 'c', 'd']
  const maxBytes = 4_000
  const outputs = await Promise.all(
    programs.map((program) =>
      run(process.execPath, [fixture('write-lines.mjs'), state, program, `${count}`, `${maxBytes}`, '1000']),
    ),
  )
  expect(outputs.map(({ stdout }) => stdout)).toEqual(programs.map(() => ''))
  const lines = readLines()
  for (const program of programs) {
    const numbers = lines.filter((line) => line.program === program).map(({ number }) => number)
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, number) => number))
  }
  const names = readdirSync(dirname(path))
  expect(names.filter((name) => name.endsWith('.lock'))).toEqual([])
  expect(names.length).toBeGreaterThan(5)
})

test('a process that exits without closing the log has written its lines', () => {
  const { status } = spawnSync(process.execPath, [fixture('exit-at-once.mjs'), state])
  expect([status, readLines().length]).toEqual([3, 101])
})

test('a FIFO is not waited for', async () => {
  await mkdir(dirname(path), { recursive: true })
  execFileSync('mkfifo', [path])
  const warnings: string[] = []
  const warn = (message: string): void => void warnings.push(message)
  const log = openLog({ stateFolder: state, project: '/project', program: 'test', warn })
  log.write('info', 'line')
  await log.close()
  expect(warnings).toEqual([expect.stringContaining('expected a regular file of this user')])
})

test('a full disk: one warning, and the program ends as usual', (context) => {
  const script = 'mount -t tmpfs -o size=16k none "$1" && shift && exec "$@"'
  const program = [process.execPath, fixture('write-lines.mjs'), state, 'a', '500', '10000', '9']
  const args = ['-Urm', 'sh', '-c', script, 'sh', state, ...program]
  const { stdout, stderr, status } = spawnSync('unshare', args, { encoding: 'utf8' })
  if (stderr.includes('unshare:') || stderr.includes('mount:'))
    return context.skip(`a small disk cannot be mounted here: ${stderr.trim()}`)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^warning: the log cannot be written: .*ENOSPC/),
  ])
})

test('only this user can read what was rotated', () => {
  spawnSync(process.execPath, [fixture('write-lines.mjs'), state, 'a', '30', '1000', '2'])
  const names = readdirSync(dirname(path)).sort()
  expect(names).toEqual(['curfew.log', 'curfew.log.1', 'curfew.log.2'])
  for (const name of names) expect(statSync(join(dirname(path), name)).mode & 0o777).toBe(0o600)
})

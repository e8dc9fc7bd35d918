import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProcess, startProcess } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { allowed } from '../../../test/support/containment.ts'
import { left, linux, newTag } from '../../../test/support/processes.ts'

describe.runIf(linux)('output', () => {
  test('ends a silent command at its idle limit, which output extends', async () => {
    const argv: [string, ...string[]] = ['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.3; done; sleep 30']
    const result = await runProcess({ argv, idleMs: 700, timeoutMs: 20_000 })
    expect(result).toMatchObject({ outcome: 'timed_out', limit: 'idle', survivors: [] })
    expect(result.stdout.toString()).toBe('1\n2\n3\n')
    expect(result.durationMs).toBeGreaterThan(1_200)
  })

  test('writes the full output to a file on request, and keeps head and tail in memory', async () => {
    const file = join(tmpdir(), `curfew-spill-${process.pid}`)
    const argv: [string, ...string[]] = ['sh', '-c', 'seq 1 2000000; echo end >&2']
    const result = await runProcess({ argv, spillTo: file })
    const written = readFileSync(file, 'latin1')
    rmSync(file)
    expect(result.stdout.bytes).toBe(14_888_896)
    expect(written.length).toBe(14_888_896 + 4)
    expect(result.stdout.toString().length).toBeLessThan(70_000)
    expect(result.stdout.toString().endsWith('2000000\n')).toBe(true)
  })

  test('ignores a spill file that cannot be written', async () => {
    const result = await runProcess({ argv: ['echo', 'hi'], spillTo: '/nonexistent/file', timeoutMs: 5_000 })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
  })

  test('ignores a spill file that cannot be written, with large output', async () => {
    const result = await runProcess({
      argv: ['seq', '1', '2000000'],
      spillTo: '/nonexistent/file',
      timeoutMs: 20_000,
    })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
    expect(result.stdout.bytes).toBe(14_888_896)
  })
})

describe.runIf(linux)('pipes', () => {
  const openDescriptors = (): string[] => readdirSync('/proc/self/fd')

  test('can be opened as /dev/stdout', async () => {
    const script = 'echo out > /dev/stdout; echo err > /dev/stderr; echo more >> /proc/self/fd/1'
    const result = await runProcess({ argv: ['sh', '-c', script] })
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['out\nmore\n', 'err\n'])
  })

  test('are reused without leaking descriptors', async () => {
    const many = () =>
      Promise.all(Array.from({ length: 40 }, (_, i) => runProcess({ argv: ['echo', `${i}`] })))
    await many()
    const before = openDescriptors().length
    for (const [i, { stdout }] of (await many()).entries()) expect(stdout.toString()).toBe(`${i}\n`)
    await runProcess({ argv: ['curfew-no-such-command'], stdin: { text: 'x' } })
    await expect.poll(() => openDescriptors().length).toBeLessThanOrEqual(before)
  }, 120_000)

  test('keep memory flat with large output', () => {
    const program = fileURLToPath(new URL('./fixtures/large-output.js', import.meta.url))
    const { stdout } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
    const { bytes, grownMiB } = JSON.parse(stdout) as { bytes: number; grownMiB: number }
    expect(bytes).toBe(512 * 2 ** 20)
    expect(grownMiB).toBeLessThan(24)
  })
})

describe.runIf(linux)('a string as input', () => {
  const large = 'curfew\n'.repeat(1_500_000)

  test('can be read, also as /dev/stdin', async () => {
    const argv = ['sh', '-c', 'head -n 1 /dev/stdin; wc -c'] as const
    const { stdout } = await runProcess({ argv, stdin: { text: 'größer\n' } })
    expect(stdout.toString()).toBe('größer\n9\n')
  })

  test('reaches a slow reader (10 MB)', async () => {
    const script =
      'for i in 1 2 3 4 5; do dd bs=1M count=1 iflag=fullblock 2>&-; sleep 0.05; done | wc -c; wc -c'
    const { stdout } = await runProcess({ argv: ['sh', '-c', script], stdin: { text: large } })
    expect(stdout.toString()).toBe(`${5 * 2 ** 20}\n${large.length - 5 * 2 ** 20}\n`)
  })

  test.each([
    ['does not read it', 'echo done'],
    ['closes it', 'exec <&-; echo done'],
    ['reads a little', 'head -c 1 > /dev/null; echo done'],
  ])('does not delay a command that %s', async (_name, script) => {
    const result = await runProcess({ argv: ['sh', '-c', script], stdin: { text: large } })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
    expect(result.stdout.toString()).toBe('done\n')
    expect(result.durationMs).toBeLessThan(10_000)
  })

  test('does not delay the limit of a command that never reads it', async () => {
    const tag = newTag()
    const result = await runProcess({ argv: ['sleep', tag], stdin: { text: large }, timeoutMs: 200 })
    expect(result).toMatchObject({ outcome: 'timed_out', survivors: [] })
    expect(result.durationMs).toBeLessThan(200 + 500 + 10_000)
    expect(left(tag)).toEqual([])
  })
})

describe.runIf(linux && allowed.has('namespace'))('in a PID namespace', () => {
  test.each([
    ['curfew-no-such-command', 'ENOENT'],
    ['/nonexistent/command', 'ENOENT'],
    ['/etc/passwd', 'EACCES'],
    ['/tmp', 'EACCES'],
  ])('%s is reported as not started: %s', async (command, code) => {
    for (const containment of ['namespace', 'auto'] as const) {
      const { outcome, exitCode, error } = await runProcess({ argv: [command], containment })
      expect([outcome, exitCode, error?.code]).toEqual(['not_started', null, code])
      expect(error?.message).toBe(`spawn ${command} ${code}`)
    }
  })

  test.each([126, 127])("exit code %i is the command's own", async (code) => {
    const result = await runProcess({ argv: ['sh', '-c', `exit ${code}`], containment: 'namespace' })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: code, error: null })
  })
})

describe.runIf(linux)('piped input', () => {
  test('is read as it arrives, until it ends', async () => {
    const output: string[] = []
    const running = startProcess({
      argv: ['sh', '-c', 'while read line; do echo "got $line"; done; echo over'],
      stdin: 'pipe',
      onOutput: (chunk) => output.push(chunk.toString()),
    })
    running.stdin!.write('one\n')
    await expect.poll(() => output.join('')).toBe('got one\n')
    running.stdin!.end('two\n')
    expect(await running.result).toMatchObject({ outcome: 'exited', exitCode: 0 })
    expect(output.join('')).toBe('got one\ngot two\nover\n')
  })

  test('is ignored if the command has ended or never started', async () => {
    const gone = startProcess({ argv: ['true'], stdin: 'pipe' })
    await gone.result
    gone.stdin!.write('x'.repeat(1_000_000))
    const never = startProcess({ argv: ['curfew-no-such-command'], stdin: 'pipe' })
    never.stdin?.write('x')
    expect(await never.result).toMatchObject({ outcome: 'not_started' })
    expect(startProcess({ argv: ['true'] }).stdin).toBeNull()
  })
})

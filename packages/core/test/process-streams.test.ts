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
  test('silence ends a command at its idle limit, output keeps it alive', async () => {
    const argv: [string, ...string[]] = ['sh', '-c', 'for i in 1 2 3; do echo $i; sleep 0.3; done; sleep 30']
    const result = await runProcess({ argv, idleMs: 700, timeoutMs: 20_000 })
    expect(result).toMatchObject({ outcome: 'timed_out', limit: 'idle', survivors: [] })
    expect(result.stdout.toString()).toBe('1\n2\n3\n')
    expect(result.durationMs).toBeGreaterThan(1_200)
  })

  test('the whole goes to a file on request, while memory keeps head and tail', async () => {
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

  test('a file that cannot be written does not hold up the command', async () => {
    const result = await runProcess({ argv: ['echo', 'hi'], spillTo: '/nonexistent/file', timeoutMs: 5_000 })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
  })

  test('a large output with a file that cannot be written', async () => {
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

  test('a command can open its own output', async () => {
    const script = 'echo out > /dev/stdout; echo err > /dev/stderr; echo more >> /proc/self/fd/1'
    const result = await runProcess({ argv: ['sh', '-c', script] })
    expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['out\nmore\n', 'err\n'])
  })

  test('are used again, and no descriptor stays open', async () => {
    const many = () =>
      Promise.all(Array.from({ length: 40 }, (_, i) => runProcess({ argv: ['echo', `${i}`] })))
    await many()
    const before = openDescriptors().length
    for (const [i, { stdout }] of (await many()).entries()) expect(stdout.toString()).toBe(`${i}\n`)
    await runProcess({ argv: ['curfew-no-such-command'], stdin: { text: 'x' } })
    await expect.poll(() => openDescriptors().length).toBeLessThanOrEqual(before)
  })

  test('memory stays flat for a large output', () => {
    const program = fileURLToPath(new URL('./fixtures/large-output.js', import.meta.url))
    const { stdout } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
    const { bytes, grownMiB } = JSON.parse(stdout) as { bytes: number; grownMiB: number }
    expect(bytes).toBe(512 * 2 ** 20)
    expect(grownMiB).toBeLessThan(24)
  })
})

describe.runIf(linux)('a text as input', () => {
  const large = 'curfew\n'.repeat(1_500_000)

  test('is read, also as /dev/stdin, and ends', async () => {
    const argv = ['sh', '-c', 'head -n 1 /dev/stdin; wc -c'] as const
    const { stdout } = await runProcess({ argv, stdin: { text: 'größer\n' } })
    expect(stdout.toString()).toBe('größer\n9\n')
  })

  test('10 MB to a slow reader', async () => {
    const script =
      'for i in 1 2 3 4 5; do dd bs=1M count=1 iflag=fullblock 2>&-; sleep 0.05; done | wc -c; wc -c'
    const { stdout } = await runProcess({ argv: ['sh', '-c', script], stdin: { text: large } })
    expect(stdout.toString()).toBe(`${5 * 2 ** 20}\n${large.length - 5 * 2 ** 20}\n`)
  })

  test.each([
    ['does not read it', 'echo done'],
    ['closes it', 'exec <&-; echo done'],
    ['reads a little', 'head -c 1 > /dev/null; echo done'],
  ])('a command that %s', async (_name, script) => {
    const result = await runProcess({ argv: ['sh', '-c', script], stdin: { text: large } })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 })
    expect(result.stdout.toString()).toBe('done\n')
    expect(result.durationMs).toBeLessThan(10_000)
  })

  test('a command that never reads it still ends at its limit', async () => {
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
  ])('%s was not started, as elsewhere: %s', async (command, code) => {
    for (const containment of ['namespace', 'auto'] as const) {
      const { outcome, exitCode, error } = await runProcess({ argv: [command], containment })
      expect([outcome, exitCode, error?.code]).toEqual(['not_started', null, code])
      expect(error?.message).toBe(`spawn ${command} ${code}`)
    }
  })

  test.each([126, 127])("an exit code of %i is the command's own", async (code) => {
    const result = await runProcess({ argv: ['sh', '-c', `exit ${code}`], containment: 'namespace' })
    expect(result).toMatchObject({ outcome: 'exited', exitCode: code, error: null })
  })
})

describe.runIf(linux)('an input that is written to while the command runs', () => {
  test('is read as it comes, and its end is an end', async () => {
    const said: string[] = []
    const running = startProcess({
      argv: ['sh', '-c', 'while read line; do echo "got $line"; done; echo over'],
      stdin: 'pipe',
      onOutput: (chunk) => said.push(chunk.toString()),
    })
    running.stdin!.write('one\n')
    await expect.poll(() => said.join('')).toBe('got one\n')
    running.stdin!.end('two\n')
    expect(await running.result).toMatchObject({ outcome: 'exited', exitCode: 0 })
    expect(said.join('')).toBe('got one\ngot two\nover\n')
  })

  test('of a command that is gone, or was never there, does nothing', async () => {
    const gone = startProcess({ argv: ['true'], stdin: 'pipe' })
    await gone.result
    gone.stdin!.write('x'.repeat(1_000_000))
    const never = startProcess({ argv: ['curfew-no-such-command'], stdin: 'pipe' })
    never.stdin?.write('x')
    expect(await never.result).toMatchObject({ outcome: 'not_started' })
    expect(startProcess({ argv: ['true'] }).stdin).toBeNull()
  })
})

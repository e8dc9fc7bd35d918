import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkSandbox } from '@curfew/agent/tools'
import type { CallResult } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { canTest, hasProgram } from '../../../test/support/can-test.ts'
import { left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { type CommandSetup, setUpCommands } from './support/command-setup.ts'

const taskOf = (result: CallResult): number => (result as { task: number }).task

async function start({ run }: CommandSetup, command: string): Promise<number> {
  const result = await run(command, { background: true })
  expect(result).toMatchObject({ status: 'success', detached: true })
  expect(result.content).toContain(`task ${taskOf(result)}`)
  return taskOf(result)
}

describe('a command in the background', () => {
  test('is read from where the last read ended, until it has exited', async () => {
    const setup = setUpCommands()
    const { call, folder } = setup
    const task = await start(setup, 'echo one; until [ -e go ]; do sleep 0.05; done; echo two >&2; exit 4')
    const read = (from = 0) => call('read_output', { task, from })
    const first = await read()
    expect(first).toMatchObject({ value: { state: 'running', exit_code: null, output: 'one\n', next: 4 } })
    expect(first.content).toMatch(new RegExp(`^\\[task ${task}: running after .*; next: 4\\]\\none\\n$`))
    expect(await read(4)).toMatchObject({ content: expect.stringContaining('(no new output)') })
    await setup.run(`touch ${folder}/go`)
    await until(async () => (await read()).content.includes('exited'))
    expect(await read(4)).toMatchObject({
      value: { state: 'exited', exit_code: 4, output: 'two\n', next: 8 },
    })
    expect(await read(-5)).toMatchObject({ value: { output: '\ntwo\n', from: 3 } })
    expect(await call('stop_command', { task })).toMatchObject({
      value: { stopped: false, state: 'success' },
    })
  })

  test('that ends immediately is a usual result', async () => {
    const { run } = setUpCommands()
    const result = await run('echo port in use; exit 1', { background: true })
    expect(result).toMatchObject({ value: { exit_code: 1, stdout: 'port in use' } })
    expect(result).not.toHaveProperty('detached')
  })

  test('is stopped with everything it has started', async () => {
    const setup = setUpCommands()
    const tag = newTag()
    const task = await start(setup, `trap "" TERM; (setsid sleep ${tag} &); sleep ${tag}; sleep ${tag}`)
    expect(left(tag).length).toBeGreaterThan(1)
    expect(await setup.call('stop_command', { task })).toMatchObject({
      content: `Task ${task} was stopped, with everything it had started.`,
      value: { stopped: true, state: 'cancelled' },
    })
    await untilNoneLeft(tag)
    expect(await setup.call('read_output', { task })).toMatchObject({ value: { state: 'stopped' } })
  })

  test('is not limited by timeout_seconds, nor is one that a person moves to the background', async () => {
    const { run, runtime, call } = setUpCommands()
    const running = run('echo up; sleep 1.2; echo still here', { timeout_seconds: 0.8 })
    const off = runtime.onOutput(({ uid }) => void runtime.detach(uid))
    const task = taskOf(await running)
    off()
    await until(async () => (await call('read_output', { task })).content.includes('exited'))
    expect(await call('read_output', { task })).toMatchObject({
      value: { state: 'exited', exit_code: 0, output: 'up\nstill here\n' },
    })
  })

  test('belongs to its conversation', async () => {
    const setup = setUpCommands()
    const { call, runtime } = setup
    const task = await start(setup, 'sleep 60')
    const other = runtime.conversation()
    for (const name of ['read_output', 'stop_command']) {
      expect(await call(name, { task }, other)).toMatchObject({ code: 'INVALID_PARAMS' })
      expect(await call(name, { task: task + 100 })).toMatchObject({
        code: 'INVALID_PARAMS',
        message: expect.stringContaining('task: expected the number of a command'),
      })
    }
    // The uid of a call that is not in the background.
    expect(await call('stop_command', { task: 1 })).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(runtime.getCall(task)).toMatchObject({ status: 'executing' })
  })

  test('ends with its conversation', async () => {
    const setup = setUpCommands()
    const tag = newTag()
    await start(setup, `(setsid sleep ${tag} &); sleep ${tag}`)
    expect(left(tag).length).toBeGreaterThan(1)
    await setup.conversation.close()
    await untilNoneLeft(tag)
  })

  test('that floods is bounded, and read in pieces', async () => {
    const setup = setUpCommands()
    const task = await start(setup, 'yes 0123456789 | head -c 200000; sleep 60')
    await until(() => setup.runtime.getCall(task)!.outputLength === 200_000)
    let text = ''
    for (let next = 0; next < 200_000; ) {
      const { value } = (await setup.call('read_output', { task, from: next })) as {
        value: { output: string; next: number }
      }
      expect(value.output.length).toBeLessThanOrEqual(32_000)
      text += value.output
      next = value.next
    }
    expect(text).toBe('0123456789\n'.repeat(18_182).slice(0, 200_000))
  })
})

const isPossible = hasProgram('bwrap') && canTest(await checkSandbox('workspace-offline'))
const sandboxes = isPossible ? ['none', 'workspace-offline'] : ['none']

describe.runIf(linux).each(['SIGINT', 'SIGKILL'] as const)('after %s of the program', (signal) => {
  test.each(sandboxes)('nothing is left (sandbox: %s)', async (sandbox) => {
    const tag = newTag()
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-background-'))
    const program = fileURLToPath(new URL('./fixtures/background-commands.js', import.meta.url))
    const child = spawn(process.execPath, [program, folder, tag, sandbox], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await firstLine(child)
      await until(() => left(tag).filter((pid) => pid !== child.pid).length >= 5)
      child.kill(signal)
      await untilNoneLeft(tag)
    } finally {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

function firstLine({ stdout }: ChildProcess): Promise<void> {
  return new Promise((resolve) => stdout!.once('data', () => resolve()))
}

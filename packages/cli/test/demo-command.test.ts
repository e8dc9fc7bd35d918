import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ended, ending, runCurfew, startCurfew } from './run-curfew.ts'

describe('curfew demo', () => {
  const directory = mkdtempSync(join(tmpdir(), 'curfew-test-'))
  const env = { TMPDIR: directory }
  let text: Ended
  let json: Ended

  beforeAll(async () => {
    const runs = await Promise.all([play(), play('--json')])
    text = runs[0]
    json = runs[1]
  }, 300_000)

  /** On a busy machine a call may end later than the demo allows, and its exit code says so: then it runs again. */
  async function play(...args: string[]): Promise<Ended> {
    for (let attempt = 1; ; attempt++) {
      const ended = await runCurfew(['demo', ...args], env)
      if (ended.code === 0 || attempt === 3) return ended
    }
  }

  afterAll(() => rmSync(directory, { recursive: true }))

  it('ends well and says so in its last line', () => {
    expect(text.stderr).toBe('')
    expect(text.stdout).not.toContain('✗')
    expect(text.stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^20 calls, 20 ended as they should, 0 left running, 1 tool abandoned; \d\d(\.\d)? s$/,
    )
    expect(text.code).toBe(0)
  })

  it.each([
    /✓ wait_forever +error +1\.\ds\/1\.0s +TOOL_TIMEOUT/,
    /✓ ignore_signal +error +[12]\.\ds\/1\.0s +TOOL_TIMEOUT: abandoned/,
    /✓ block_thread +error +[23]\.\ds\/2\.0s +TOOL_TIMEOUT/,
    /✓ tick +success .+15 ticks/,
    /✓ weather Utopia +error .+TOOL_FAILED/,
    /finished as Rome, Utopia, Cairo, Oslo, Lima; returned in request order/,
    /✓ ask_service +error +0\.\ds\/- +CIRCUIT_OPEN/,
    /✓ ask_service +success/,
    /✓ start_server +success .+server started/,
    /✓ timeout +success .+timed_out, ended by SIGKILL/,
    /^survivors: 0 /m,
    /✓ build +cancelled .+CANCELLED: kept "step 1/,
    /✓ delete_branch +error +0\.\ds\/- +DENIED/,
    /To allow it: add "delete_branch\(main\)"/,
    /✓ read_log +success .+65,\d\d\d characters/,
    /✓ crawl +error .+TOOL_IDLE_TIMEOUT: kept 3 lines/,
  ])('shows %s', (line) => {
    expect(text.stdout).toMatch(line)
  })

  it('fits into 80 columns and is plain text where there is no terminal', () => {
    for (const line of text.stdout.split('\n')) expect(line.length).toBeLessThan(80)
    expect(text.stdout).not.toContain('\x1b')
    expect(text.stdout).not.toContain('\r')
  })

  it('gives a program one JSON object', () => {
    expect(json).toMatchObject({ code: 0, stderr: '' })
    const report = JSON.parse(json.stdout)
    expect(report).toMatchObject({
      ok: true,
      calls: 20,
      asExpected: 20,
      leftRunning: 0,
      survivors: 0,
      abandoned: 1,
    })
    expect(report.scenes).toHaveLength(11)
    for (const { title, calls } of report.scenes) {
      expect(title).toEqual(expect.any(String))
      for (const call of calls) expect(call).toMatchObject({ asExpected: true, problems: [] })
    }
  })

  it('leaves no files', () => {
    expect(readdirSync(directory).filter((name) => name.startsWith('curfew-'))).toEqual([])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('stops at once on %s and cleans up', async (signal, code) => {
    const child = startCurfew(['demo'], env)
    const ended = ending(child)
    await once(child.stdout!, 'data')
    const stoppedAt = performance.now()
    child.kill(signal)
    expect(await ended).toMatchObject({ code, stderr: '' })
    expect(performance.now() - stoppedAt).toBeLessThan(30_000)
    expect(readdirSync(directory).filter((name) => name.startsWith('curfew-'))).toEqual([])
  })

  it('stops when nobody reads it any more', async () => {
    const child = startCurfew(['demo'], env)
    const ended = ending(child)
    await once(child.stdout!, 'data')
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 141, stderr: '' })
    expect(readdirSync(directory).filter((name) => name.startsWith('curfew-'))).toEqual([])
  })
})

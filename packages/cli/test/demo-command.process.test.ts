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

  /** Retries, because on a busy machine a call may end later than the demo allows. */
  async function play(...args: string[]): Promise<Ended> {
    for (let attempt = 1; ; attempt++) {
      const ended = await runCurfew(['demo', ...args], env)
      if (ended.code === 0 || attempt === 3) return ended
    }
  }

  afterAll(() => rmSync(directory, { recursive: true }))

  it('succeeds and reports that every call ended as expected', () => {
    expect(text.stderr).toBe('')
    expect(text.stdout).not.toContain('✗')
    expect(text.stdout).toMatch(/^20 of 20 calls ended as expected in \d\d(\.\d)? s\.$/m)
    expect(text.stdout).toMatch(/^Still running: 0 calls, 0 processes\.$/m)
    expect(text.code).toBe(0)
  })

  it('ends with the next steps', () => {
    expect(text.stdout).toMatch(/\nNext:\n(?: {2}.*curfew .+\n)+$/)
  })

  it.each([
    /✓ wait_forever +timed out +1\.\ds\/1\.0s +TOOL_TIMEOUT/,
    /✓ ignore_signal +timed out +[12]\.\ds\/1\.0s +TOOL_TIMEOUT, function abandoned/,
    /✓ block_thread +timed out +[23]\.\ds\/2\.0s +TOOL_TIMEOUT/,
    /✓ tick +success .+15 ticks/,
    /✓ weather Utopia +failed .+TOOL_FAILED/,
    /finished as Rome, Utopia, Cairo, Oslo, Lima; returned in request order/,
    /✓ query_service +rejected +0\.\ds\/- +CIRCUIT_OPEN/,
    /✓ query_service +success/,
    /✓ start_server +success .+server started/,
    /✓ timeout +success .+timed_out, SIGKILL; kept "still here"/,
    /✓ build +cancelled .+CANCELLED, kept "step 1/,
    /✓ delete_branch +denied +0\.\ds\/- +DENIED/,
    /delete_branch\(main\)/,
    /✓ read_log +success .+65,\d\d\d characters/,
    /✓ crawl +timed out .+TOOL_IDLE_TIMEOUT, kept 3 lines/,
  ])('shows %s', (line) => {
    expect(text.stdout).toMatch(line)
  })

  it('fits into 80 columns uncut, without control sequences, when piped', () => {
    for (const line of text.stdout.split('\n')) expect(line.length).toBeLessThan(80)
    expect(text.stdout).not.toContain('…')
    expect(text.stdout).not.toContain('\x1b')
    expect(text.stdout).not.toContain('\r')
  })

  it('prints one JSON object with --json', () => {
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
  ] as const)('stops on %s and cleans up', async (signal, code) => {
    const child = startCurfew(['demo'], env)
    const ended = ending(child)
    await once(child.stdout!, 'data')
    const stoppedAt = performance.now()
    child.kill(signal)
    expect(await ended).toMatchObject({ code, stderr: '' })
    expect(performance.now() - stoppedAt).toBeLessThan(30_000)
    expect(readdirSync(directory).filter((name) => name.startsWith('curfew-'))).toEqual([])
  })

  it('stops when its output is closed', async () => {
    const child = startCurfew(['demo'], env)
    const ended = ending(child)
    await once(child.stdout!, 'data')
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 141, stderr: '' })
    expect(readdirSync(directory).filter((name) => name.startsWith('curfew-'))).toEqual([])
  })
})

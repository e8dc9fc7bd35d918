import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const setup = new PromptSetup()
const file = () => join(setup.project, 'file')
const overwrite = async (...args: string[]) => {
  setup.script('overwrite', `printf changed > '${file()}'`)
  writeFileSync(file(), 'original')
  const script = [call('script_overwrite', { text: 'a' }), answer('Done.')]
  const ended = await setup.prompt(script, '-p', 'Go', '--yes', ...args)
  expect(ended).toMatchObject({ code: 0 })
  expect(readFileSync(file(), 'utf8')).toBe('changed')
  return ended
}

describe('curfew -p /restore', () => {
  it('lists checkpoints; without a terminal, nothing is restored, also with --yes', async () => {
    await overwrite()
    expect(await setup.run('-p', '/restore')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\/restore 1 .*before script_overwrite .*another conversation/),
    })
    const ended = await setup.run('-p', '/restore 1', '--yes')
    expect(ended.code).not.toBe(0)
    expect(readFileSync(file(), 'utf8')).toBe('changed')
  })

  it.runIf(hasTerminal)('restores the files after a question', async () => {
    await overwrite()
    const { code, stdout } = await runInTerminal(['-p', '/restore 1'], setup.environment(), setup.project, [
      [/cancel/, async (type) => type('restore\r')],
    ])
    expect(stdout).toContain('change file')
    expect(stdout).toContain('Restored 1 file from checkpoint 1')
    expect(code).toBe(0)
    expect(readFileSync(file(), 'utf8')).toBe('original')
  })

  it('checkpoints: false turns it off, but not in a project', async () => {
    setup.write('config.json', { checkpoints: false })
    const { stderr } = await overwrite()
    expect(stderr).toContain('a project cannot turn off checkpoints')
    const folder = join(setup.home, '.local/state/curfew/checkpoints')
    expect(existsSync(folder)).toBe(true)
    expect(await setup.run('-p', '/restore', '--set', 'checkpoints=false')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/restore is not available in this program'),
    })
  })
})

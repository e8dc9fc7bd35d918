import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const setup = new PromptSetup()

it.each(['.curfew/config.json', '.git/hooks/pre-commit', 'AGENTS.md', 'settings/curfew/config.json'])(
  'no option lets a model write %s without a person',
  async (path) => {
    setup.write('mcp.json', {})
    const script = [call('write_file', { path, content: '{}' }), answer('Done.')]
    const options = ['--yes', '--mode', 'accept-edits', '--allow', 'write_file', '--allow', 'write_file(*)']
    const { server, model } = await setup.serve(script)
    const env = { XDG_CONFIG_HOME: join(setup.project, 'settings') }
    const ended = await ending(setup.start(['-p', 'Go', ...options, '--model', model], 'ignore', env))
    expect(ended.stderr).toContain(`DENIED: write_file was denied: ${path} is protected: `)
    expect(JSON.stringify(server.requests[1]!.body)).toContain('needs the approval of a person')
    expect(existsSync(join(setup.project, path))).toBe(false)
  },
)

it('reads and writes files at and below the root of the workspace, and in added folders', async () => {
  const other = join(setup.home, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'a.txt'), 'from the other folder\n')
  const script = [
    call('read_file', { path: join(other, 'a.txt') }),
    call('write_file', { path: 'b.txt', content: 'b' }),
    answer('Done.'),
  ]
  const denied = await setup.prompt(script, '-p', 'Go', '--mode', 'accept-edits')
  expect(denied.stderr).toContain('is outside of the workspace')
  expect(readFileSync(join(setup.project, 'b.txt'), 'utf8')).toBe('b')
  const allowed = await setup.prompt(script, '-p', 'Go', '--add-dir', other)
  expect(JSON.stringify(allowed.server.requests[1]!.body)).toContain('from the other folder')
})

it('--add-dir names what is not a folder', async () => {
  const { model } = await setup.serve([answer('ok')])
  expect(await setup.run('-p', 'Go', '--add-dir', 'missing', '--model', model)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--add-dir: expected a folder, got "missing"'),
  })
})

it('secretFiles of the user replaces the default, a project adds to it', async () => {
  setup.writeUser('config.json', { secretFiles: ['private.txt'] })
  setup.write('config.json', { secretFiles: ['notes.txt', '!private.txt'] })
  for (const name of ['private.txt', 'notes.txt', '.env'])
    writeFileSync(join(setup.project, name), 'content\n')
  const script = [
    ...['private.txt', 'notes.txt', '.env'].map((path) => call('read_file', { path })),
    answer('Done.'),
  ]
  const ended = await setup.prompt(script, '-p', 'Go')
  expect(ended.stderr).toContain('private.txt may contain secrets: it matches "private.txt" in secretFiles')
  expect(ended.stderr).toContain('notes.txt may contain secrets')
  expect(ended.stderr).toContain('a project can only add patterns, so "!private.txt" is ignored')
  expect(ended.stderr).toContain('✓ read_file')
  const shown = await setup.run('config', 'get', 'secretFiles')
  expect(shown.stdout).toBe('["private.txt","notes.txt"]\n')
})

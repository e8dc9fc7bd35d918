import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cliReference } from '../../../scripts/cli-reference.ts'
import { manPage } from '../../../scripts/man-page.ts'
import { hasProgram } from '../../../test/support/can-test.ts'
import { allCommands } from '../src/command-line/all-commands.ts'
import { curfewCommand } from '../src/commands/curfew-command.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test.each([
  ['docs/cli.md', cliReference],
  ['packages/cli/man/curfew.1', manPage],
])('%s is up to date with scripts/write-command-docs.ts', (file, generate) => {
  expect(readFileSync(root + file, 'utf8')).toBe(generate())
})

test.runIf(hasProgram('man'))('man formats the page without warnings', () => {
  const { stdout, stderr } = spawnSync('man', ['--warnings', '-l', 'packages/cli/man/curfew.1'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
  })
  expect(stderr).toBe('')
  expect(stdout).toContain('curfew mcp add NAME [OPTIONS] -- COMMAND [ARG]...')
})

test('npm install -g installs the man page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-man-'))
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--offline'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, npm_config_cache: join(folder, 'cache') },
    })
  try {
    // What npm reads of the package, without its bundle, which takes long to pack.
    const { name, version, bin, man } = JSON.parse(readFileSync(`${root}packages/cli/package.json`, 'utf8'))
    const small = join(folder, 'package')
    for (const part of ['bin', 'man'])
      cpSync(`${root}packages/cli/${part}`, join(small, part), { recursive: true })
    writeFileSync(join(small, 'package.json'), JSON.stringify({ name, version, bin, man }))
    npm('pack', small)
    npm('install', '--global', '--prefix', join(folder, 'prefix'), join(folder, `${name}-${version}.tgz`))
    expect(readFileSync(join(folder, 'prefix/share/man/man1/curfew.1'), 'utf8')).toBe(manPage())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the package contains the man page and the guides that the help refers to', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: `${root}packages/cli`,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files }] = JSON.parse(output) as [{ files: readonly { path: string }[] }]
  const guides = allCommands(curfewCommand).flatMap(({ command }) => command.guide ?? [])
  const expected = ['man/curfew.1', ...guides.map((guide) => `docs/${guide}`), 'docs/cli.md']
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(expected))
})

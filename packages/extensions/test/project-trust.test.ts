import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatProblem, loadExtensions, setTrust, trustedProjects } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { described, home, load, project, script, shell, user } from './support/script-home.ts'

describe('a project', () => {
  const projectRoot = (): string => join(project, '.curfew')

  test('is ignored, with a word, until it is trusted', async () => {
    script('tool', described, shell('echo'), projectRoot())
    const before = await load()
    expect(before.tools).toEqual([])
    expect(before.problems.map(formatProblem).join()).toMatch(/is ignored.+curfew trust/)
    expect(await setTrust(user(), before.roots.project!.path, true)).toBe(true)
    expect(await setTrust(user(), before.roots.project!.path, true)).toBe(false)
    expect((await load()).tools).toHaveLength(1)
    await setTrust(user(), before.roots.project!.path, false)
    expect((await load()).tools).toEqual([])
    expect((await load({ CURFEW_TRUST: '1' })).tools).toHaveLength(1)
    expect((await load({ CURFEW_TRUST: '0' })).tools).toEqual([])
  })

  test('is found from below, and its tools come before those of the user', async () => {
    script('tool', described, shell('echo user'))
    script('mine', described, shell('echo'))
    script('tool', described, shell('echo project'), projectRoot())
    const below = join(project, 'a', 'b')
    mkdirSync(below, { recursive: true })
    const { tools } = await loadExtensions({ cwd: below, env: { HOME: home, CURFEW_TRUST: '1' } })
    expect(tools.map(({ tool, file }) => [tool.name, file.startsWith(project)])).toEqual([
      ['script_mine', false],
      ['script_tool', true],
    ])
  })

  test('trust in a link ends when it points elsewhere', async () => {
    const [first, second] = [join(project, 'first'), join(project, 'second')]
    script('tool', described, shell('echo'), first)
    script('tool', described, shell('echo'), second)
    symlinkSync(first, projectRoot())
    await setTrust(user(), (await load()).roots.project!.path, true)
    expect((await load()).tools).toHaveLength(1)
    rmSync(projectRoot())
    symlinkSync(second, projectRoot())
    expect((await load()).tools).toEqual([])
  })

  test('a list of trust that cannot be read trusts nobody, and is not written over', async () => {
    script('tool', described, shell('echo'), projectRoot())
    mkdirSync(user(), { recursive: true })
    writeFileSync(join(user(), 'trusted.json'), '{"trusted": 7}')
    expect((await load()).tools).toEqual([])
    expect((await load()).problems.map(formatProblem).join()).toMatch(/trusted\.json: "trusted" must be/)
    await expect(setTrust(user(), projectRoot(), true)).rejects.toThrow(/trusted\.json.+repair or delete it/)
    expect(() => trustedProjects(user())).toThrow(/"trusted" must be an array/)
    writeFileSync(join(user(), 'trusted.json'), `{"trusted": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
    expect(() => trustedProjects(user())).toThrow(/is not JSON: nested more than 200 levels deep/)
  })

  test('many at once lose nothing, and a link to the list stays a link', async () => {
    const elsewhere = join(home, 'dotfiles.json')
    mkdirSync(user(), { recursive: true })
    writeFileSync(elsewhere, '{"trusted": []}')
    symlinkSync(elsewhere, join(user(), 'trusted.json'))
    const paths = Array.from({ length: 12 }, (_, index) => `/project/${index}`)
    await Promise.all(paths.map((path) => setTrust(user(), path, true)))
    expect(trustedProjects(user())).toEqual(paths.sort())
    expect(JSON.parse(readFileSync(elsewhere, 'utf8')).trusted).toHaveLength(12)
  })

  test.each(['', '.', 'relative'])('HOME=%j does not make the project the home of the user', async (HOME) => {
    script('mine', described, shell('echo'), join(project, '.config', 'curfew'))
    expect(
      (await loadExtensions({ cwd: project, env: { HOME } })).tools.map(({ file }) => file),
    ).not.toContain(join(project, '.config', 'curfew', 'extensions', 'scripts', 'mine', 'tool.json'))
    expect((await loadExtensions({ cwd: project, env: { HOME } })).roots.user).toMatch(/^\//)
  })

  test('a .curfew that is a circle of links is none', async () => {
    symlinkSync('.curfew', projectRoot())
    expect((await load()).roots.project).toBeNull()
  })

  test('XDG_CONFIG_HOME is where the user is looked for', async () => {
    const xdg = join(home, 'elsewhere')
    script('tool', described, shell('echo'), join(xdg, 'curfew'))
    expect((await load()).tools).toEqual([])
    expect((await load({ XDG_CONFIG_HOME: xdg })).tools).toHaveLength(1)
    expect((await load({ XDG_CONFIG_HOME: 'relative' })).tools).toEqual([])
  })
})

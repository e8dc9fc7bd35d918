import { chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatProblem, loadExtensions, setTrust, trustedProjects } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { described, home, load, project, script, shell, user } from './support/script-home.ts'

describe('a project', () => {
  const projectRoot = (): string => join(project, '.curfew')

  test('is ignored with a warning until it is trusted', async () => {
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

  test('is found from a subfolder, and its tools replace those of the user', async () => {
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

  test('of another user is ignored with a warning, even if it is trusted', async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'only root can change the owner of files')
    script('tool', described, shell('echo'), projectRoot())
    await setTrust(user(), projectRoot(), true)
    chownSync(projectRoot(), 12_345, 12_345)
    const { tools, problems } = await load({ CURFEW_TRUST: '1' })
    expect(tools).toEqual([])
    expect(problems.map(formatProblem)).toEqual([
      `${projectRoot()}: is ignored: it belongs to another user (uid 12345)`,
    ])
  })

  test('a list of trusted projects that is not a file is neither waited for nor read without end', async () => {
    script('tool', described, shell('echo'), projectRoot())
    mkdirSync(user(), { recursive: true })
    symlinkSync('/dev/zero', join(user(), 'trusted.json'))
    expect(() => trustedProjects(user())).toThrow(/trusted\.json: is not a file$/)
    expect((await load()).tools).toEqual([])
  })

  test('trust in a symbolic link ends when its target changes', async () => {
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

  test('an unreadable trusted.json trusts no project and is not overwritten', async () => {
    script('tool', described, shell('echo'), projectRoot())
    mkdirSync(user(), { recursive: true })
    writeFileSync(join(user(), 'trusted.json'), '{"trusted": 7}')
    expect((await load()).tools).toEqual([])
    expect((await load()).problems.map(formatProblem).join()).toMatch(/trusted\.json: "trusted" must be/)
    await expect(setTrust(user(), projectRoot(), true)).rejects.toThrow(/trusted\.json.+repair or delete it/)
    expect(() => trustedProjects(user())).toThrow(/"trusted" must be an array/)
    writeFileSync(join(user(), 'trusted.json'), `{"trusted": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
    expect(() => trustedProjects(user())).toThrow(/is not JSON: .+: nested more than 200 levels deep/)
  })

  test('concurrent changes are all kept, and a symbolic link to the list is kept', async () => {
    const elsewhere = join(home, 'dotfiles.json')
    mkdirSync(user(), { recursive: true })
    writeFileSync(elsewhere, '{"trusted": []}')
    symlinkSync(elsewhere, join(user(), 'trusted.json'))
    const paths = Array.from({ length: 12 }, (_, index) => `/project/${index}`)
    await Promise.all(paths.map((path) => setTrust(user(), path, true)))
    expect(trustedProjects(user())).toEqual(paths.sort())
    expect(JSON.parse(readFileSync(elsewhere, 'utf8')).trusted).toHaveLength(12)
  })

  test.each(['', '.', 'relative'])('HOME=%j does not turn the project into the user folder', async (HOME) => {
    script('mine', described, shell('echo'), join(project, '.config', 'curfew'))
    expect(
      (await loadExtensions({ cwd: project, env: { HOME } })).tools.map(({ file }) => file),
    ).not.toContain(join(project, '.config', 'curfew', 'extensions', 'scripts', 'mine', 'tool.json'))
    expect((await loadExtensions({ cwd: project, env: { HOME } })).roots.user).toMatch(/^\//)
  })

  test('a .curfew that is a circular symbolic link is ignored', async () => {
    symlinkSync('.curfew', projectRoot())
    expect((await load()).roots.project).toBeNull()
  })

  test('the user folder is in XDG_CONFIG_HOME', async () => {
    const xdg = join(home, 'elsewhere')
    script('tool', described, shell('echo'), join(xdg, 'curfew'))
    expect((await load()).tools).toEqual([])
    expect((await load({ XDG_CONFIG_HOME: xdg })).tools).toHaveLength(1)
    expect((await load({ XDG_CONFIG_HOME: 'relative' })).tools).toEqual([])
  })
})

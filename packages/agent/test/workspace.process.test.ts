import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createWorkspace, findWorkspaceRoot, type WorkspaceOptions } from '@curfew/agent/tools'
import { expect, onTestFinished, test, vi } from 'vitest'

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-workspace-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function project(options: Partial<WorkspaceOptions> = {}) {
  const base = folder()
  const root = join(base, 'project')
  mkdirSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(base, 'other'))
  writeFileSync(join(root, 'src/a.ts'), 'a')
  writeFileSync(join(base, 'other/b.ts'), 'b')
  return { base, root, workspace: createWorkspace({ root, ...options }) }
}

test('the root is the nearest folder with .curfew or .git', () => {
  const base = folder()
  const deep = join(base, 'a/b/c')
  mkdirSync(deep, { recursive: true })
  expect(findWorkspaceRoot(deep)).toBe(deep)
  mkdirSync(join(base, '.git'))
  expect(findWorkspaceRoot(deep)).toBe(base)
  // A worktree has a file.
  writeFileSync(join(base, 'a/.git'), 'gitdir: elsewhere')
  expect(findWorkspaceRoot(deep)).toBe(join(base, 'a'))
  mkdirSync(join(base, 'a/b/.curfew'))
  expect(findWorkspaceRoot(deep)).toBe(join(base, 'a/b'))
  symlinkSync(deep, join(base, 'link'))
  expect(findWorkspaceRoot(join(base, 'link'))).toBe(join(base, 'a/b'))
})

test('folders of other users are not the root', ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can change the owner of files')
  const base = folder()
  const deep = join(base, 'shared/own/deep')
  mkdirSync(deep, { recursive: true })
  const ignored: string[] = []
  for (const name of ['.git', '.curfew']) {
    mkdirSync(join(base, 'shared', name))
    chownSync(join(base, 'shared', name), 12_345, 12_345)
  }
  expect(findWorkspaceRoot(deep, (message) => ignored.push(message))).toBe(deep)
  expect(ignored).toEqual([`${base}/shared/.git is ignored: it belongs to another user (uid 12345)`])
  symlinkSync(join(base, 'shared/.git'), join(base, 'shared/own/.git'))
  expect(findWorkspaceRoot(deep)).toBe(deep)
  vi.stubEnv('SUDO_UID', '12345')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(findWorkspaceRoot(deep)).toBe(join(base, 'shared/own'))
})

test.each([
  ['src/a.ts', 'src/a.ts'],
  ['./src/../src/a.ts', 'src/a.ts'],
  ['src/a.ts/', 'src/a.ts'],
  ['.', '.'],
  ['', '.'],
  ['new/folder/file', 'new/folder/file'],
])('%j is inside', (path, shownPath) => {
  const { workspace, root } = project()
  expect(workspace.locate(path)).toMatchObject({ shownPath, area: 'inside', problem: null })
  expect(workspace.locate(path).realPath).toBe(join(root, path).replace(/\/$/, ''))
  expect(workspace.restrictRead(path)).toBeNull()
  expect(workspace.restrictWrite(path)).toBeNull()
})

test.each([
  '..',
  '../other/b.ts',
  'src/../../other/b.ts',
  '/etc/passwd',
  '/',
  '/proc/self/root/etc/passwd',
  '/proc/self/cwd/package.json',
  '/dev/fd/0',
  '/dev/stdin',
  '/dev/null',
])('%j is outside', (path) => {
  const { workspace } = project()
  expect(workspace.locate(path).area).toBe('outside')
  expect(workspace.restrictRead(path)).toMatchObject({
    verdict: 'deny',
    reason: expect.stringContaining('outside'),
  })
  expect(workspace.restrictWrite(path)).toMatchObject({ verdict: 'deny' })
})

test('a folder whose name only begins like the workspace is outside', () => {
  const { workspace, root } = project()
  mkdirSync(`${root}-copy`)
  expect(workspace.locate(`${root}-copy/a`).area).toBe('outside')
})

test('links that lead out are outside, those that stay inside are not', () => {
  const { workspace, root, base } = project()
  symlinkSync(join(base, 'other'), join(root, 'out'))
  symlinkSync('../other/new.ts', join(root, 'dangling'))
  symlinkSync('out', join(root, 'twice'))
  symlinkSync('dangling', join(root, 'dangling-twice'))
  symlinkSync('src', join(root, 'in'))
  symlinkSync('src/new.ts', join(root, 'new'))
  symlinkSync('loop', join(root, 'loop'))
  for (const path of [
    'out',
    'out/b.ts',
    'out/new',
    'dangling',
    'twice/b.ts',
    'dangling-twice',
    'loop',
    'loop/a',
  ])
    expect(workspace.locate(path).area, path).toBe('outside')
  expect(workspace.locate('dangling').realPath).toBe(join(base, 'other/new.ts'))
  expect(workspace.locate('in/a.ts')).toMatchObject({ area: 'inside', shownPath: 'src/a.ts' })
  expect(workspace.locate('new')).toMatchObject({ area: 'inside', shownPath: 'src/new.ts' })
  expect(workspace.locate('loop').problem).toContain('loop of links')
})

test('an added folder is inside, and errors name the option', () => {
  const { workspace, base, root } = project()
  expect(workspace.folders).toEqual([root])
  const wider = createWorkspace({ root, addedFolders: [join(base, 'other')] })
  expect(wider.locate('../other/b.ts')).toMatchObject({ area: 'inside', shownPath: join(base, 'other/b.ts') })
  const missing = join(base, 'missing')
  expect(() => createWorkspace({ root, addedFolders: [base, missing] })).toThrow(
    `addedFolders[1]: expected a folder, got "${missing}"; there is no such folder`,
  )
})

test('readable folders are not writable', () => {
  const { workspace, base } = project()
  const results = createWorkspace({ root: workspace.root, readableFolders: [join(base, 'other')] })
  const path = join(base, 'other/b.ts')
  expect(results.locate(path).area).toBe('readable')
  expect(results.restrictRead(path)).toBeNull()
  expect(results.restrictWrite(path)).toEqual({ verdict: 'deny', reason: `${path} may only be read` })
})

test.each([
  ['a\0b', 'NUL'],
  ['a\ud800', 'surrogate'],
  ['x'.repeat(300), 'too long'],
  ['x/'.repeat(5_000), 'too long'],
  ['src/a.ts/b', 'a file, not a folder'],
  ['~/x', 'home folder'],
  ['~', 'home folder'],
])('a path that cannot be resolved is outside: %#', (path, problem) => {
  const { workspace } = project()
  expect(workspace.locate(path)).toMatchObject({ area: 'outside', problem: expect.stringContaining(problem) })
  const denied = workspace.restrictWrite(path)
  expect(denied).toMatchObject({ verdict: 'deny', reason: expect.stringContaining(problem) })
  expect(denied!.reason.length).toBeLessThan(500)
})

test.each([
  '.env',
  'packages/a/.env.production',
  '.ENV',
  '．env',
  '.e\u200bnv',
  '.env.',
  'prod.env',
  'id_rsa',
  'keys/server.PEM',
  'server.key',
  '.ssh/config',
  '.ssh',
  'home/.aws/credentials',
  '.kube/config',
  'x/.docker/config.json',
  '.npmrc',
  '.git-credentials',
  'passwords.kdbx',
  '.bash_history',
])('%j is secret', (path) => {
  const { workspace } = project()
  expect(workspace.restrictRead(path)).toMatchObject({
    verdict: 'deny',
    reason: expect.stringMatching(/matches ".*" in secretFiles/),
  })
  expect(workspace.restrictWrite(path)).toEqual(workspace.restrictRead(path))
})

test.each([
  '.env.example',
  '.env.sample',
  '.env.template',
  'src/environment.ts',
  'id_rsa.pub',
  'keys.ts',
  'config.json',
  'docker/config.json',
])('%j is not secret', (path) => {
  expect(project().workspace.restrictRead(path)).toBeNull()
})

test('links from and to secret files are secret', () => {
  const { workspace, root } = project()
  writeFileSync(join(root, '.env'), 'TOKEN=1')
  symlinkSync('.env', join(root, 'notes.txt'))
  expect(workspace.locate('notes.txt').secret).toBe('.env*')
  writeFileSync(join(root, 'production'), 'TOKEN=1')
  symlinkSync('../production', join(root, 'src/.env'))
  expect(workspace.locate('src/.env').secret).toBe('.env*')
})

test('own patterns replace the default ones, and are relative to each folder', () => {
  const { workspace, root, base } = project({
    secretFiles: ['/config/*', '!/config/public.json', 'private/'],
  })
  expect(workspace.locate('.env').secret).toBeNull()
  expect(workspace.locate('config/a').secret).toBe('/config/*')
  expect(workspace.locate('config/public.json').secret).toBeNull()
  expect(workspace.locate('src/config/a').secret).toBeNull()
  expect(workspace.locate('src/private/deep/a').secret).toBe('private/')
  const wider = createWorkspace({ root, addedFolders: [join(base, 'other')], secretFiles: ['/config/*'] })
  expect(wider.locate('../other/config/a').secret).toBe('/config/*')
})

test.each([
  '.curfew/config.json',
  '.curfew',
  'packages/a/.curfew/mcp.json',
  '.git/hooks/pre-commit',
  '.GIT/hooks/pre-commit',
  '．git/config',
  '.g\u200cit/config',
  '.git./config',
  'git~1/config',
  '.git',
  'vendor/lib/.git/config',
  'mirror.git/hooks/post-update',
  'new/HEAD',
  '.gitconfig',
  '.husky/pre-commit',
  '.bashrc',
  '.config/fish/config.fish',
  '.config/curfew/config.json',
  '.envrc',
  '.vscode/tasks.json',
  '.idea/workspace.xml',
  '.exrc',
  '.mcp.json',
  'AGENTS.md',
  'src/CLAUDE.md',
  'agents.md',
  '.agents/skills/a/SKILL.md',
  'opencode.json',
  'OPENCODE.JSONC',
  'packages/a/.opencode/plugin/x.js',
  'sub/crush.json',
  'QWEN.md',
  'AGENT.md',
  '.goosehints',
  '.kiro/steering/x.md',
  '.junie/guidelines.md',
  '.roo/mcp.json',
  '.continue/config.yaml',
  '.amazonq/rules/x.md',
  '.aider.conf.yml',
  '.trae/rules/x.md',
  '.github/workflows/ci.yml',
  '.github/agents/x.md',
  'sub/.cargo/config.toml',
  'sub/.hg/hgrc',
  '.jj/repo/config.toml',
  '.yarnrc.yml',
  '.gdbinit',
  '.local/share/applications/x.desktop',
  '.config/opencode/opencode.json',
  'AmazonQ.md',
  'sub/CRUSH.local.md',
  'sub/IFLOW.md',
  'gptme.toml',
  'prek.toml',
  'hk.pkl',
  'captainhook.json',
  'mise/config.toml',
  'sub/.config/mise.toml',
  'flake.nix',
  'Jenkinsfile',
  'azure-pipelines.yml',
  'buildspec-test.yml',
  // Names that no list contains.
  '.new-agent/rules.md',
  '.newagentrc',
  'src/.new-agent/rules.md',
  'src/.newagentrc',
  'src/.newagentrc/.gitignore',
  'CONTEXT.md',
  'CONTEXT.MD',
  'ＣＯＮＴＥＸＴ.md',
  'CONT\u200bEXT.md',
  'NewAgent.md',
  'CONVENTIONS.local.md',
  'src/NEW_AGENT.md',
  'venv/bin/activate',
  'env/Scripts/Activate.ps1',
  '．new-agent/rules.md',
  '\u200b.new-agent/rules.md',
])('writing %j needs a person, reading it does not', (path) => {
  const { workspace } = project()
  expect(workspace.restrictRead(path)).toBeNull()
  expect(workspace.restrictWrite(path)).toMatchObject({
    verdict: 'ask',
    reason: expect.stringMatching(/: .{10}/),
  })
})

/** Which of these files of a project a person has to approve. */
function protectedOf(config: string, paths: readonly string[], top = '.'): string[] {
  const { root, workspace } = project()
  mkdirSync(join(root, top, '.git'), { recursive: true })
  writeFileSync(join(root, top, '.git/config'), config)
  return paths.filter((path) => workspace.restrictWrite(path) !== null)
}

test.each([
  ['[core]\n\thooksPath = tools/hooks\n', ['tools/hooks/pre-commit', 'tools/hooks']],
  ['[core] hooksPath=hooks # ours', ['hooks/pre-commit']],
  // Also where the header has a comment, or cannot be read: the keys are not those of the harmless section above.
  ['[user]\n\tname = a\n[core] ; ours\n\thooksPath = hooks\n', ['hooks/pre-commit']],
  ['[user]\n\tname = a\n[core ours\n\thooksPath = hooks\n', ['hooks/pre-commit']],
  [
    '[diff]\n\texternal = "$(git rev-parse --show-toplevel)/tools/clean.sh -a $TOP/less"',
    ['tools/clean.sh', 'less'],
  ],
  ['[alias]\n\tup = !sh runme\n[filter "x"]\n\tclean = python3 runme2\n', ['runme', 'runme2']],
  ['[include]\n\tpath = ../tools/included\n', ['tools/included']],
  ['[includeIf "gitdir:/**"]\n\tPATH = "../tools/included"\n', ['tools/included']],
  ['[filter "a"]\n\tclean = sh -c \'tools/clean.sh %f\'\n', ['tools/clean.sh']],
  ['[alias]\n\tx = !./tools/alias.sh && echo\n\ty = log tools/included\n', ['tools/alias.sh']],
  ['[core]\n\tattributesFile = tools/inclu\\\nded\n', ['tools/included']],
  // Of a later version of git.
  ['[hook "x"]\n\tcommand = tools/clean.sh\n', ['tools/clean.sh']],
  ['[submodule]\n\tactive = .\n[remote "o"]\n\turl = ./tools/included\n[core]\n\tpager = less\n', []],
])('files that the configuration %j names need a person', (config, expected) => {
  const paths = [
    'tools/hooks/pre-commit',
    'tools/hooks',
    'hooks/pre-commit',
    'tools/included',
    'tools/clean.sh',
    'tools/alias.sh',
    'less',
    'runme',
    'runme2',
    'runme/file',
  ]
  expect(protectedOf(config, paths)).toEqual(expected)
})

test("git's own configuration is protected where it is in the workspace", () => {
  const { root, workspace } = project()
  mkdirSync(join(root, '.git'))
  vi.stubEnv('GIT_CONFIG_GLOBAL', join(root, 'mine'))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(workspace.restrictWrite(join(root, 'mine'))).not.toBe(null)
})

test('a word that git configures is protected from commands only if it is a file', () => {
  const { root, workspace } = project()
  for (const folder of ['.git', 'tests']) mkdirSync(join(root, folder))
  writeFileSync(join(root, '.git/config'), '[alias]\n\tx = !npm test tests cleaner\n')
  writeFileSync(join(root, 'cleaner'), '')
  const words = ['npm', 'test', 'tests', 'cleaner']
  expect(words.filter((word) => workspace.locate(word).protected !== null)).toEqual(['cleaner'])
  expect(workspace.namedByGit([]).filter((path) => words.includes(basename(path)))).toEqual([
    join(root, 'cleaner'),
  ])
})

test('included files, links and repositories in subfolders count, and a change of the configuration is noticed', () => {
  const { root, workspace } = project()
  const isProtected = (path: string): boolean => workspace.restrictWrite(path) !== null
  for (const folder of ['.git', 'tools', 'real', 'sub/.git'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, '.git/config'), '[include]\n\tpath = ../tools/a\n')
  expect(['tools/a', 'real/hook', 'sub/hooks/x'].filter(isProtected)).toEqual(['tools/a'])
  writeFileSync(join(root, 'tools/a'), '[core]\n\thooksPath = linked\n')
  symlinkSync('real', join(root, 'linked'))
  writeFileSync(join(root, 'sub/.git/config'), '[core]\n\thooksPath = hooks\n')
  expect(['tools/a', 'real/hook', 'sub/hooks/x', 'hooks/x'].filter(isProtected)).toEqual([
    'tools/a',
    'real/hook',
    'sub/hooks/x',
  ])
})

test.each([
  'package.json',
  '.gitignore',
  '.gitattributes',
  '.editorconfig',
  'src/head/index.ts',
  'Makefile',
  'agents/agents.ts',
  '.changeset/brave-dogs.md',
  '.dockerignore',
  'src/.gitignore',
  'public/.well-known/security.txt',
  'README.md',
  'README.zh-CN.md',
  'packages/a/CHANGELOG.md',
  'SECURITY.md',
  'docs/getting-started.md',
  'docs/GettingStarted.md',
  'notes.md',
  'src/Button.tsx',
  'src/CONTEXT.ts',
  'docs/A.md',
  'tools/activate.ts',
  'default.nix',
  'Brewfile',
  'PKGBUILD',
  'pyrightconfig.json',
  '.python-version',
])('writing %j needs nobody', (path) => {
  expect(project().workspace.restrictWrite(path)).toBeNull()
})

test('names with a dot around the workspace make no difference', () => {
  const base = folder()
  const [root, added] = [join(base, '.worktrees/a'), join(base, '.worktrees/a/.notes')]
  for (const path of [root, added]) mkdirSync(path, { recursive: true })
  expect(createWorkspace({ root }).restrictWrite('a.ts')).toBeNull()
  expect(createWorkspace({ root }).restrictWrite('.notes/a.ts')).toMatchObject({ verdict: 'ask' })
  const workspace = createWorkspace({ root, addedFolders: [added] })
  expect(workspace.restrictWrite('.notes/a.ts')).toBeNull()
  expect(workspace.restrictWrite('.notes/.x/a.ts')).toMatchObject({ verdict: 'ask' })
})

test('links from and to protected files are protected, and so are the given folders', () => {
  const { workspace, root, base } = project()
  mkdirSync(join(root, '.git/hooks'), { recursive: true })
  symlinkSync('.git/hooks', join(root, 'docs'))
  expect(workspace.restrictWrite('docs/pre-commit')).toMatchObject({ verdict: 'ask' })
  mkdirSync(join(root, 'hooks'))
  rmSync(join(root, '.git/hooks'), { recursive: true })
  symlinkSync('../hooks', join(root, '.git/hooks'))
  expect(workspace.restrictWrite('.git/hooks/pre-commit')).toMatchObject({ verdict: 'ask' })
  const own = createWorkspace({
    root: base,
    protectedFolders: [join(base, 'settings/curfew')],
  })
  expect(own.restrictWrite('settings/curfew/config.json')).toMatchObject({ verdict: 'ask' })
  expect(own.restrictWrite('settings/other')).toBeNull()
})

test('a workspace at the root of the file system does not contain what the kernel provides', () => {
  const workspace = createWorkspace({ root: '/' })
  expect(workspace.locate('etc/hostname').area).toBe('inside')
  for (const path of ['proc/self/environ', 'dev/sda', 'sys/power/state'])
    expect(workspace.locate(path).area).toBe('outside')
})

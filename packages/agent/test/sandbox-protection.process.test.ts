import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { checkSandbox, createWorkspace, fileTools } from '@curfew/agent/tools'
import { processIdentity } from '@curfew/core/internal'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type CommandSetup, setUpCommands } from './support/command-setup.ts'
import { createRepository, git } from './support/git-repository.ts'

const problem = await checkSandbox('workspace')
if (problem !== null) process.stdout.write(`tests of what the sandbox protects are skipped: ${problem}\n`)

const setUp = () => setUpCommands({ sandbox: 'workspace' }, { ask: () => 'once' })

/** What was moved away, by its name. */
function quarantined({ stateFolder }: CommandSetup): Record<string, string> {
  const folder = join(stateFolder, 'quarantine')
  const found: Record<string, string> = {}
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const { path } = JSON.parse(readFileSync(join(folder, name, 'origin.json'), 'utf8'))
    const [item] = readdirSync(join(folder, name)).filter((one) => one !== 'origin.json')
    if (item !== undefined) found[path] = join(folder, name, item)
  }
  return found
}

describe.runIf(problem === null)('the sandbox', () => {
  test('makes .git read-only as a whole, in every repository of the workspace', async () => {
    const { run, folder } = setUp()
    const sub = join(folder, 'sub')
    for (const one of ['', 'vendor/lib', 'node_modules/dep', 'main']) createRepository(join(folder, one))
    git(join(folder, 'main'), 'worktree', 'add', '-q', join(folder, 'tree'))
    git(folder, 'clone', '-q', '--bare', 'main', 'bare')
    mkdirSync(sub)
    const folders = [
      '.git',
      'vendor/lib/.git',
      'node_modules/dep/.git',
      'main/.git',
      'main/.git/worktrees/tree',
      'bare',
    ]
    const commands = folders.flatMap((one) => [
      `echo ../evil > ${one}/commondir`,
      `echo '[core] fsmonitor = x' >> ${one}/config`,
      `echo x > ${one}/config.worktree`,
      `mkdir -p ${one}/hooks && echo x > ${one}/hooks/pre-commit`,
      `mkdir -p ${one}/rebase-merge && echo exec x > ${one}/rebase-merge/git-rebase-todo`,
      `ln ${one}/config link && echo x >> link`,
      `mv ${one} ${one}.moved`,
      `rm -rf ${one}`,
    ])
    commands.push(
      'echo gitdir: /x > tree/.git',
      'mv tree/.git x',
      'mv vendor vendor.moved',
      'mv vendor/lib vendor/lib.moved',
    )
    const before = spawnSync('sh', ['-c', 'find . -path "*.git*" | sort; cat main/.git/config bare/config'], {
      cwd: folder,
    })
    const script = commands.map(
      (command) => `if { ${command}; } 2>/dev/null; then echo 'done: ${command.replaceAll("'", '"')}'; fi`,
    )
    writeFileSync(join(folder, 'attack.sh'), script.join('\n'))
    expect(await run('sh attack.sh')).toMatchObject({ value: { stdout: '', notes: [] } })
    const after = spawnSync('sh', ['-c', 'find . -path "*.git*" | sort; cat main/.git/config bare/config'], {
      cwd: folder,
    })
    expect(after.stdout.toString()).toBe(before.stdout.toString())
    // Reading works.
    expect(await run('git status --short; git -C tree log --format=%s')).toMatchObject({
      value: { stdout: expect.stringMatching(/attack\.sh[\s\S]*first/) },
    })
  })

  test('holds the places of missing files, and leaves nothing behind', async () => {
    const { run, folder } = setUp()
    writeFileSync(join(folder, 'a'), '')
    const names = [
      'AGENTS.md',
      'CLAUDE.md',
      '.mcp.json',
      '.envrc',
      '.claude/settings.json',
      '.vscode/tasks.json',
      '.husky/pre-commit',
      '.git/config',
      '.curfew/config.json',
    ]
    const script = names
      .map((name) => `mkdir -p $(dirname ${name}); echo x > ${name} && echo created`)
      .join('\n')
    const result = await run(`${script}\nrmdir .vscode; mv .claude moved; git init -q; ls`)
    expect(result).toMatchObject({ value: { stdout: expect.not.stringContaining('created') } })
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test('shows placeholders to no git, and keeps what the user puts there', async () => {
    const { run, call, folder } = setUp()
    createRepository(folder)
    const { task } = (await run('sleep 100', { background: true })) as unknown as { task: number }
    expect(git(folder, 'status', '--short')).toBe('')
    writeFileSync(join(folder, '.vscode/settings.json'), '{}')
    expect(await run('cat .vscode/settings.json; rm -rf .vscode')).toMatchObject({ value: { stdout: '{}' } })
    expect(await call('stop_command', { task })).toMatchObject({ value: { stopped: true } })
    await until(() => !existsSync(join(folder, 'AGENTS.md')))
    expect(readdirSync(folder).toSorted()).toEqual(['.git', '.vscode'])
    expect(readdirSync(join(folder, '.vscode'))).toEqual(['settings.json'])
  })

  test('removes the placeholders of a process that was killed, unless they are used', async () => {
    const { run, folder, stateFolder } = setUp()
    const dead = `${spawnSync('true').pid}-1-${processIdentity.split('-')[2]}`
    mkdirSync(join(stateFolder, 'placeholders'))
    const paths = ['.zed', '.cursor', 'kept'].map((name) => join(folder, name))
    for (const path of paths) mkdirSync(path)
    writeFileSync(join(folder, 'kept/a'), '')
    writeFileSync(join(stateFolder, 'placeholders', `${dead}.json`), JSON.stringify(paths))
    await run('true')
    expect(readdirSync(folder)).toEqual(['kept'])
    expect(readdirSync(join(stateFolder, 'placeholders'))).toEqual([])
  })

  test('moves away files with permissions that a command creates elsewhere', async () => {
    const set = setUp()
    const { run, folder } = set
    symlinkSync('instructions', join(folder, 'CLAUDE.md'))
    symlinkSync('missing', join(folder, 'GEMINI.md'))
    writeFileSync(join(folder, 'instructions'), 'old')
    mkdirSync(join(folder, 'other'))
    const result = await run(
      'mkdir -p app/.vscode; echo x > app/.vscode/tasks.json; echo y > other/AGENTS.md; ln -s /x other/CLAUDE.md; rm CLAUDE.md; echo z > CLAUDE.md; echo fine > app/a; echo evil > instructions; echo evil > missing',
    )
    expect(result.content).toMatch(/app\/\.vscode .*appeared while the command ran; it was moved to /)
    const moved = quarantined(set)
    const names = ['CLAUDE.md', 'app/.vscode', 'missing', 'other/AGENTS.md', 'other/CLAUDE.md']
    expect(Object.keys(moved).toSorted()).toEqual(names.map((name) => join(folder, name)))
    expect(readFileSync(join(moved[join(folder, 'app/.vscode')]!, 'tasks.json'), 'utf8')).toBe('x\n')
    expect(readdirSync(join(folder, 'app'))).toEqual(['a'])
    expect(readlinkSync(join(folder, 'CLAUDE.md'))).toBe('instructions')
    expect(readFileSync(join(folder, 'instructions'), 'utf8')).toBe('old')
  })

  test('protects what git’s configuration names, also before it exists', async () => {
    const set = setUp()
    const { run, folder } = set
    createRepository(folder)
    mkdirSync(join(folder, 'tools/hooks'), { recursive: true })
    git(folder, 'config', 'core.hooksPath', 'tools/hooks')
    git(folder, 'config', 'include.path', '../tools/gitconfig')
    expect(await run('echo x > tools/hooks/pre-commit || mv tools moved')).toMatchObject({
      value: { exit_code: 1 },
    })
    expect((await run('echo x > tools/gitconfig')).content).toMatch(
      /tools\/gitconfig \(git's configuration names it.*was moved to/,
    )
    expect(Object.keys(quarantined(set))).toEqual([join(folder, 'tools/gitconfig')])
    expect(readdirSync(join(folder, 'tools'))).toEqual(['hooks'])
  })

  test('moves them away without the permissions that this requires', async () => {
    const set = setUp()
    await set.run(
      'mkdir -p a/.vscode b c/sub; echo x > a/.vscode/tasks.json; echo x > b/AGENTS.md; cd c/sub; git init -q; git config core.fsmonitor x; cd ../..; chmod 000 a/.vscode; chmod 500 a b; chmod 300 c',
    )
    const { folder } = set
    const isRoot = process.getuid!() === 0
    const names = ['a/.vscode', 'b/AGENTS.md', isRoot ? 'c/sub/.git' : 'c'].map((name) => join(folder, name))
    expect(Object.keys(quarantined(set)).toSorted()).toEqual(names)
    for (const name of names) expect(existsSync(name), name).toBe(false)
  })

  test('asks whether to put them back', async () => {
    const messages: string[] = []
    const set = setUpCommands(
      { sandbox: 'workspace' },
      {
        ask(question) {
          if (question.kind !== 'input') return 'once'
          messages.push(question.message)
          expect(question.choices).toEqual(['Leave them in quarantine', 'Put back'])
          return { text: 'Put back' }
        },
      },
    )
    const { content } = await set.run('mkdir app; echo x > app/AGENTS.md')
    expect(messages).toEqual([expect.stringContaining('- app/AGENTS.md (agents follow it')])
    expect(content).toMatch(/app\/AGENTS\.md .* appeared while the command ran; the user allowed it/)
    expect(readFileSync(join(set.folder, 'app/AGENTS.md'), 'utf8')).toBe('x\n')
    expect(await set.run('echo y > app/AGENTS.md')).toMatchObject({ value: { exit_code: 1 } })
  })

  test('keeps new repositories that run no programs, and moves others away', async () => {
    const set = setUp()
    const { run, folder } = set
    const init =
      'git init -q app && cd app && git config user.name a && git config user.email a@b && echo a > a && git add a && git commit -qm first'
    expect(await run(`(${init}); git clone -q app copy; git init -q --bare store`)).toMatchObject({
      value: { exit_code: 0, notes: [] },
    })
    expect(git(join(folder, 'copy'), 'log', '--format=%s')).toBe('first\n')
    expect(
      await run('cd app && git commit -q --allow-empty -m second; echo x >> app/.git/config'),
    ).toMatchObject({
      value: { exit_code: 1 },
    })
    const evil = {
      config: 'git config core.fsmonitor x',
      alias: "git config alias.st '!x'",
      include: 'git config include.path ../x',
      folded: "printf '[core]\\n\\tbare = false\\\\\\n\\n[core] fsmonitor = x\\n' >> .git/config",
      header: "printf '[core]fsmonitor = x\\n' >> .git/config",
      url: 'git remote add origin ext::x',
      hook: 'echo x > .git/hooks/pre-commit',
      hooks: 'mv .git/hooks h; ln -s ../h .git/hooks',
      hardlink: 'ln .git/config config',
      symlink: 'mv .git/config c; ln -s ../c .git/config',
      common: 'echo ../x > .git/commondir',
      worktree: 'echo x > .git/config.worktree',
      rebase: 'mkdir .git/rebase-merge',
      pointer: 'mv .git real; echo gitdir: real > .git',
      link: 'mv .git real; ln -s real .git',
      bare: 'mv .git/* .; rmdir .git; git config core.fsmonitor x',
    }
    // One after the other: a command that takes longer is ended at the first of them.
    for (const [name, command] of Object.entries(evil))
      await run(`git init -q ${name} && cd ${name} && ${command}`)
    const moved = Object.keys(quarantined(set)).map((path) => path.slice(folder.length + 1).split('/')[0])
    expect(moved.toSorted()).toEqual(Object.keys(evil).toSorted())
    for (const name of Object.keys(evil)) expect(existsSync(join(folder, name, '.git')), name).toBe(false)
  })

  test('ends a background command when a hidden or protected file is replaced', async () => {
    for (const name of ['.env', 'AGENTS.md']) {
      const { run, call, folder } = setUp()
      writeFileSync(join(folder, name), 'old')
      const command = `while sleep 0.1; do cat .env; done > seen; echo x >> AGENTS.md`
      const { task } = (await run(command, { background: true })) as unknown as { task: number }
      writeFileSync(join(folder, 'new'), 'canary')
      renameSync(join(folder, 'new'), join(folder, name))
      const read = () => call('read_output', { task })
      await until(async () => (await read()).content.includes('failed'))
      expect((await read()).content).toMatch(
        new RegExp(`the command was ended: ${name} was replaced or removed while the command ran`),
      )
      expect(readFileSync(join(folder, name), 'utf8')).toBe('canary')
    }
  })

  test('ends a background command that creates a file with permissions, and moves that away', async () => {
    const set = setUp()
    const { task } = (await set.run('mkdir sub; sleep 1; echo x > sub/AGENTS.md; sleep 100', {
      background: true,
    })) as unknown as { task: number }
    await until(async () => (await set.call('read_output', { task })).content.includes('failed'))
    expect((await set.call('read_output', { task })).content).toMatch(
      /sub\/AGENTS\.md .*appeared[\s\S]*it was moved to/,
    )
    expect(Object.keys(quarantined(set))).toEqual([join(set.folder, 'sub/AGENTS.md')])
  })

  test('ends a background command that creates a repository, which it could change at any time', async () => {
    const set = setUp()
    const { task } = (await set.run('sleep 1; git init -q sub; sleep 100', {
      background: true,
    })) as unknown as {
      task: number
    }
    await until(async () => (await set.call('read_output', { task })).content.includes('failed'))
    expect((await set.call('read_output', { task })).content).toMatch(/sub\/\.git .*appeared/)
    expect(quarantined(set)).toEqual({})
  })

  test('hides files of the home folder, also those that are replaced or created later', async () => {
    const home = mkdtempSync(join(homedir(), '.curfew-sandbox-home-'))
    const before = process.env.HOME
    process.env.HOME = home
    try {
      for (const name of ['.npmrc', '.cargo/credentials.toml', '.cargo/bin/x', '.bashrc'])
        mkdirSync(join(home, name, '..'), { recursive: true })
      for (const name of ['.npmrc', '.cargo/credentials.toml']) writeFileSync(join(home, name), 'canary')
      for (const name of ['.cargo/bin/x', '.bashrc']) writeFileSync(join(home, name), 'visible')
      symlinkSync('.bashrc', join(home, '.link'))
      const { run, call, folder } = setUp()
      const command =
        'cat ~/.cargo/bin/x ~/.bashrc ~/.link; while ! test -e go; do sleep 0.05; done; cat ~/.npmrc ~/.cargo/credentials.toml ~/.netrc; touch ~/x; echo end; sleep 100'
      const { task } = (await run(command, { background: true })) as unknown as { task: number }
      for (const name of ['.npmrc', '.cargo/credentials.toml', '.netrc']) {
        writeFileSync(join(home, 'new'), 'canary')
        renameSync(join(home, 'new'), join(home, name))
      }
      writeFileSync(join(folder, 'go'), '')
      await until(async () => (await call('read_output', { task })).content.includes('end'))
      const { content } = await call('read_output', { task })
      expect(content).toContain('visiblevisiblevisible')
      expect(content).not.toContain('canary')
      expect(existsSync(join(home, 'x'))).toBe(false)
    } finally {
      process.env.HOME = before
      rmSync(home, { recursive: true })
    }
  })

  test('lets the user’s own change of AGENTS.md through while a command runs', async () => {
    const { run, call, folder, runtime } = setUp()
    runtime.register(fileTools(createWorkspace({ root: folder })))
    const { task } = (await run('sleep 100', { background: true })) as unknown as { task: number }
    expect(await call('write_file', { path: 'AGENTS.md', content: 'x' })).toMatchObject({ status: 'success' })
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toBe('x')
    await until(async () => (await call('read_output', { task })).content.includes('failed'))
    expect(readdirSync(folder)).toEqual(['AGENTS.md'])
  })
})

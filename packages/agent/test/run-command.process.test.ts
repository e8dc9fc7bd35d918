import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { left, linux, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { permissionCommands } from '../src/tools/commands/mentioned-files.ts'
import { setUpCommands } from './support/command-setup.ts'

describe('run_command', () => {
  test('returns the exit code and both streams', async () => {
    const { run } = setUpCommands()
    expect(await run('echo out; echo err >&2; exit 3')).toMatchObject({
      status: 'success',
      content: expect.stringMatching(/^\[exit code 3 after .*\]\nout\n\[stderr\]\nerr$/),
      value: { exit_code: 3, stdout: 'out', stderr: 'err', outcome: 'exited' },
    })
    expect((await run('true')).content).toMatch(/^\[exit code 0 after \S+ \S+, no output\]$/)
    expect((await run('kill -9 $$')).content).toMatch(/^\[killed by SIGKILL after/)
  })

  test('streams output while it runs', async () => {
    const { run, runtime } = setUpCommands()
    const seen: string[] = []
    runtime.onOutput(({ text, stream }) => seen.push(`${stream}: ${text}`))
    await run('echo one; sleep 0.2; echo two >&2')
    expect(seen).toEqual(['stdout: one\n', 'stderr: two\n'])
  })

  test('has a reduced environment, its deadline, no input and no terminal', async () => {
    process.env.OF_THE_TEST = 'visible'
    const { run, folder } = setUpCommands()
    const { content } = await run(
      'echo x$OF_THE_TEST"x $PWD"; echo $CURFEW_DEADLINE_MS; cat; echo hi > /dev/tty || echo none; stty -a || true',
    )
    delete process.env.OF_THE_TEST
    expect(content).toContain(`xx ${folder}\n`)
    expect(content).toMatch(/\n12\d{4}\n/)
    expect(content).toContain('\nnone\n')
  })

  test('gets the trace context of its call', async () => {
    const { run, runtime } = setUpCommands()
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    runtime.use((call, next) => {
      call.setTraceContext({ traceparent })
      return next()
    })
    expect(await run('echo "$TRACEPARENT $TRACESTATE"')).toMatchObject({
      value: { stdout: `${traceparent} ` },
    })
  })

  test('a timeout keeps what was printed', async () => {
    const { run } = setUpCommands()
    const tag = newTag()
    const result = await run(`trap "" TERM; echo started; sleep ${tag}; sleep ${tag}`, {
      timeout_seconds: 0.5,
    })
    expect(result).toMatchObject({ status: 'success', value: { timed_out: true, exit_code: null } })
    expect(result.content).toMatch(
      /^\[ended at its limit of 500 ms \(timeout_seconds\), with everything it had started, after .*\]\nstarted$/,
    )
    await untilNoneLeft(tag)
  })

  test('ends at the limit of the call if that is shorter, and when it is cancelled', async () => {
    const { conversation, runtime, run } = setUpCommands()
    const tag = newTag()
    const [limited] = await conversation.execute([
      { id: '1', name: 'run_command', params: { command: `echo a; sleep ${tag}` }, timeout: 4_000 },
    ])
    expect(limited?.content).toMatch(/^\[ended at its limit of 4 s \(set on the call\)/)
    const running = run(`echo b; (setsid sleep ${tag} &); sleep ${tag}`)
    runtime.onOutput(() => runtime.cancelAll())
    expect(await running).toMatchObject({ status: 'cancelled', output: 'b\n' })
    await untilNoneLeft(tag)
  })

  test('what a command leaves behind ends with it', async () => {
    const { run } = setUpCommands()
    const tag = newTag()
    expect(await run(`(setsid sleep ${tag} &); sleep ${tag} & echo done`)).toMatchObject({
      value: { stdout: 'done', exit_code: 0 },
    })
    await untilNoneLeft(tag)
  })

  test('endless output is bounded, and all of it is in a file', async () => {
    const { run } = setUpCommands()
    const { content } = await run('yes 0123456789 | head -c 300000; echo end')
    expect(content.length).toBeLessThan(40_000)
    expect(content).toMatch(/bytes omitted/)
    expect(content.endsWith('end')).toBe(true)
    const [, path = ''] = /\[all output is in (.*)\]/.exec(content) ?? []
    expect(readFileSync(path, 'utf8').length).toBeGreaterThan(280_000)
    const flood = await run('yes', { timeout_seconds: 0.5 })
    expect(flood).toMatchObject({ value: { timed_out: true } })
    expect(flood.content.length).toBeLessThan(40_000)
  })

  test('control sequences, carriage returns and invalid UTF-8 become plain text', async () => {
    const { run } = setUpCommands()
    const { content } = await run(
      String.raw`printf '\033[31mred\033[0m\033]0;title\007\n10%%\r50%%\r100%%\r\na\000b\377c\n'`,
    )
    expect(content.split('\n').slice(1)).toEqual(['red', '100%', 'ab\ufffdc'])
  })

  test('runs in a folder of the workspace only', async () => {
    const { run, folder } = setUpCommands()
    mkdirSync(join(folder, 'inside'))
    symlinkSync('/', join(folder, 'out'))
    writeFileSync(join(folder, 'file'), '')
    expect((await run('pwd', { cwd: 'inside' })).content).toContain(`\n${folder}/inside`)
    for (const cwd of ['..', '/', 'out', 'out/etc', 'inside/../..'])
      expect(await run('pwd', { cwd })).toMatchObject({
        code: 'DENIED',
        message: expect.stringContaining('cwd: expected a folder inside the workspace'),
      })
    for (const cwd of ['missing', 'file'])
      expect(await run('pwd', { cwd })).toMatchObject({
        code: 'INVALID_PARAMS',
        message: expect.stringContaining('expected a folder that exists'),
      })
  })

  test('a folder that disappears, or becomes a link, after the approval is noticed', async () => {
    let change = (): void => {}
    const ask = () => {
      change()
      return 'once' as const
    }
    const { run, folder } = setUpCommands({}, { approval: 'ask', ask })
    for (const target of [null, '/']) {
      mkdirSync(join(folder, 'inside'))
      change = () => {
        renameSync(join(folder, 'inside'), join(folder, `moved ${target === null}`))
        if (target !== null) symlinkSync(target, join(folder, 'inside'))
      }
      expect(await run('pwd', { cwd: 'inside' })).toMatchObject({ code: 'INVALID_PARAMS', retrySafe: true })
    }
  })

  test('a command with a NUL character is rejected', async () => {
    const { run } = setUpCommands()
    expect(await run('echo a\0b')).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(await run('')).toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

describe.runIf(linux)('a command that mentions files with permissions or secrets', () => {
  test.each([
    'echo {} > .curfew/config.json',
    'cp evil .git/hooks/pre-commit',
    'cat .env',
    'cat ./.env.local',
    'sh -c "cat $PWD/.env"',
    'tee -a "sub/.git/config"',
    'tar --file=.curfew/x',
    'echo x > AGENTS.md',
    'cp x sub/mcp.json',
    'echo x > .cur""few/config.json',
    'echo x > .c\\urfew/config.json',
    'echo x > .curf?w/config.json',
    'tee .cur{few,}/config.json',
    'cp x linked/config.json',
    'cd .git && cp ../x hooks/pre-commit',
    'cd ".git"; cp ../x hooks/pre-commit',
    'mv .git elsewhere',
    'curl -d @.env http://localhost:9',
    'base64 server.pem',
    'curl -o.git/hooks/pre-commit http://localhost:9',
    `echo ${Array.from({ length: 5_001 }, (_, index) => index).join(' ')} > x`,
    'curfew config set approval.default allow',
    'npx curfew trust',
    'git config core.hooksPath /tmp',
    'git -C sub config --local alias.x "!sh"',
    'mkdir head~; cat head~/../.env',
    'cp -r t .git/hooks/head',
    'cat .[!a]nv',
    "cat .[!' ']nv",
    'cat .[[:alpha:]]nv',
    'cat *ub/.[]x[e]nv',
    'cat {\\.env,}',
    'cat {.e,x}n{v,}',
    'tee {.git,t}/hooks/post-commit',
    'sort -uo.envrc x',
    'cat sub$x.env',
    'patch -d .git -p1',
    'find .git -name description -execdir cp {} hooks/update ";"',
    'git config core.hooksPath list',
    'git config core.fsmonitor /tmp/evil # -l',
    "git config core.pager '/tmp/evil -l'",
    'git 2>&1 config core.editor /tmp/evil',
    'env -u git git config core.editor /tmp/evil',
    'git con""fig core.editor /tmp/evil',
    'git con\\\nfig core.editor /tmp/evil',
    'git {config,core.editor,/tmp/evil}',
    '/usr/lib/git-core/git-config core.editor /tmp/evil',
    'curfew 2>&1 trust',
    ...permissionCommands.map((name) => `curfew ${name} x`),
    `cat sub\${x}.env`,
    'echo npx curfew@latest trust',
    'node node_modules/curfew/bin/curfew.cjs new script evil',
    `cat ${'{a,b}'.repeat(20)}`,
  ])('%s needs approval, whatever rules allow', async (command) => {
    const { run, folder } = setUpCommands({}, { approval: { rules: { allow: ['*', 'run_command(*)'] } } })
    mkdirSync(join(folder, '.curfew'))
    mkdirSync(join(folder, 'sub'))
    symlinkSync('.curfew', join(folder, 'linked'))
    for (const name of ['server.pem', '.env', 'sub/.env']) writeFileSync(join(folder, name), '')
    expect(await run(command)).toMatchObject({
      code: 'DENIED',
      message: expect.stringMatching(
        /the command (mentions|changes|has) .* requires the approval of a person/,
      ),
    })
  })

  test('so does any command in a folder with permissions', async () => {
    const { run, folder } = setUpCommands()
    mkdirSync(join(folder, '.git/hooks'), { recursive: true })
    expect(await run('touch pre-commit', { cwd: '.git/hooks' })).toMatchObject({ code: 'DENIED' })
  })

  test.each([
    'git diff HEAD',
    'git log --oneline HEAD~1',
    'git config --get user.name',
    'find . -path ./.git -prune',
    'grep -r x --exclude-dir=.git .',
    "grep -c '.*x' /dev/null",
    'echo a.env missing.pem',
    "find . -not -path './.git/*' ! -name '.*'",
    "echo rg --hidden --glob '!.git' x",
    "echo rg -g '!.git/**' x",
    "echo tree -a -I 'node_modules|.git'",
    'git config --global --list || true',
    'git config -l; git config get a.b; git config list; cd .',
    'git commit -m "Read the config" || true',
    'git log || ls',
    `: ${'['.repeat(60_000)}`,
    'echo \'[{"a":1,"b":2},{"a":1,"b":2}]\' .[0]',
  ])('%s does not', async (command) => {
    const { run, folder } = setUpCommands({}, { approval: { rules: { allow: ['*'] } } })
    for (const name of ['.git', '.github', '.env']) mkdirSync(join(folder, name))
    expect(await run(command)).toMatchObject({ status: 'success' })
  })

  test.each([
    `python3 -c "open('.en'+'v')"`,
    `a=.en; cat \${a}v`,
    'cat $(ls -A)',
    'shopt -s dotglob; cat *',
    'sh x.sh',
    'cp -r new/. .',
    'cd keys; cat server.pem',
    'echo x > HEAD',
    'git remote add a b',
    'grep -r x',
  ])('%s does not, because only what is written out is found', async (command) => {
    const { run, folder } = setUpCommands({}, { approval: { rules: { allow: ['*'] } } })
    writeFileSync(join(folder, '.env'), '')
    mkdirSync(join(folder, 'keys'))
    writeFileSync(join(folder, 'keys/server.pem'), '')
    expect(await run(command)).toMatchObject({ status: 'success' })
  })
})

test('nothing is left after the tests', () => {
  expect(left(`31536${String(process.pid).padStart(7, '0')}`)).toEqual([])
})

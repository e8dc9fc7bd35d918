import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkSandbox } from '@curfew/agent/tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canTest, hasProgram } from '../../../test/support/can-test.ts'
import { left, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { setUpCommands } from './support/command-setup.ts'

const isPossible = hasProgram('bwrap') && canTest(await checkSandbox('workspace-offline'))

/** Outside of the workspace; neither in /tmp nor in a home folder that the sandbox treats differently. */
let outside = ''
beforeAll(() => {
  outside = mkdtempSync(join(homedir(), '.curfew-sandbox-test-'))
})
afterAll(() => rmSync(outside, { recursive: true, force: true }))

describe.runIf(isPossible)('in the sandbox', () => {
  const offline = () => setUpCommands({ sandbox: 'workspace-offline' })

  test('the workspace can be changed, and the rest cannot', async () => {
    const { run, folder } = offline()
    expect(await run('echo a > a && cat a > /dev/stdout && id -u')).toMatchObject({
      value: { exit_code: 0, stdout: `a\n${process.getuid!()}` },
    })
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('a\n')
    const result = await run(`touch ${outside}/x; touch /usr/x ~/x`)
    expect(result.content).toMatch(/Read-only file system/)
    expect(result.content).toMatch(
      /\[the sandbox is a probable cause: with sandbox: "workspace-offline", only/,
    )
    expect(readdirSync(outside)).toEqual([])
  })

  test('/tmp, /proc and /run are its own', async () => {
    const { run } = offline()
    const tag = newTag()
    const file = join(realpathSync('/tmp'), `curfew-${tag}`)
    writeFileSync(file, '')
    const { content } = await run(
      `ls ${file}; ls /run; ps axo comm 2>/dev/null || ls /proc; touch /tmp/a && echo "$TMPDIR"`,
    )
    rmSync(file)
    expect(content).toMatch(/No such file/)
    expect(content).toContain('\n/tmp')
    expect(content).not.toMatch(/node|vitest/)
    expect(existsSync('/tmp/a')).toBe(false)
  })

  test.runIf(existsSync('/run/systemd/resolve') || process.getuid?.() === 0)(
    'of /run/systemd/resolve, only the configuration is visible',
    async () => {
      const folder = '/run/systemd/resolve'
      const isOwn = !existsSync(folder)
      if (isOwn) mkdirSync(folder, { recursive: true })
      if (isOwn)
        for (const name of ['io.systemd.Resolve', 'stub-resolv.conf']) writeFileSync(join(folder, name), '')
      try {
        const { value } = (await offline().run(`ls ${folder}`)) as { value: { stdout: string } }
        expect(value.stdout.trim()).toMatch(/^(resolv\.conf\n?)?(stub-resolv\.conf)?$/)
      } finally {
        if (isOwn) rmSync(folder, { recursive: true })
      }
    },
  )

  test('the network is reachable or not', async () => {
    const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    // Not the Node.js of this repository: if it is below /tmp, the sandbox hides it.
    const command = `bash -c 'cat < /dev/tcp/127.0.0.1/${port}'`
    try {
      expect(await setUpCommands({ sandbox: 'workspace' }).run(command)).toMatchObject({
        value: { stdout: 'reached' },
      })
      const { run } = offline()
      expect(await run(command)).toMatchObject({ value: { exit_code: 1 } })
      expect((await run('echo "getaddrinfo EAI_AGAIN example.com"; exit 1')).content).toContain(
        'there is no network',
      )
    } finally {
      server.close()
    }
  })

  test('keys and Curfew’s own folders are hidden', async () => {
    const home = mkdtempSync(join(outside, 'home-'))
    const before = process.env.HOME
    process.env.HOME = home
    for (const name of ['.ssh', '.aws', '.config/curfew', 'state/results'])
      mkdirSync(join(home, name), { recursive: true })
    for (const name of [
      '.ssh/id',
      '.aws/credentials',
      '.config/curfew/config.json',
      'state/session',
      '.netrc',
      '.npmrc',
    ])
      writeFileSync(join(home, name), 'canary')
    writeFileSync(join(home, 'state/results/long.txt'), 'readable')
    writeFileSync(join(home, 'other'), 'visible')
    try {
      const { run } = setUpCommands({
        sandbox: 'workspace',
        hiddenFolders: [join(home, '.config/curfew'), join(home, 'state'), join(home, 'missing')],
        readableFolders: [join(home, 'state/results')],
      })
      const { content } = await run('cd; grep -r . . 2>&1; find . -type f | sort')
      expect(content).not.toContain('canary')
      expect(content).toContain('readable')
      expect(content).toContain('visible')
    } finally {
      if (before === undefined) delete process.env.HOME
      else process.env.HOME = before
    }
  })

  test('files with secrets and permissions in the workspace are hidden or read-only', async () => {
    const { run, folder } = setUpCommands({ sandbox: 'workspace' }, { ask: () => 'once' })
    mkdirSync(join(folder, 'sub/.curfew'), { recursive: true })
    mkdirSync(join(folder, '.curfew'))
    for (const name of ['.env', 'sub/server.key', '.curfew/config.json', 'sub/.curfew/mcp.json'])
      writeFileSync(join(folder, name), 'canary')
    const secrets = await run('cat .e* sub/*.key')
    expect(secrets.content).not.toContain('canary')
    expect(secrets).toMatchObject({ value: { exit_code: 1 } })
    for (const command of [
      'echo x > .curfew/config.json',
      'rm -rf .curfew',
      'mv .curfew moved',
      'rm -rf sub',
      'mkdir .curfew/hooks',
      'echo x > sub/.curfew/mcp.json',
      'mv sub moved; mkdir -p sub/.curfew; echo x > sub/.curfew/mcp.json',
      'ln sub/.curfew/mcp.json a; echo x > a && grep x sub/.curfew/mcp.json',
    ])
      expect(await run(command), command).toMatchObject({ status: 'success', value: { exit_code: 1 } })
    expect(readFileSync(join(folder, '.curfew/config.json'), 'utf8')).toBe('canary')
    expect(readFileSync(join(folder, 'sub/.curfew/mcp.json'), 'utf8')).toBe('canary')
  })

  test('a missing .curfew cannot be created, and leaves no empty folder', async () => {
    const { run, folder } = setUpCommands({ sandbox: 'workspace' }, { ask: () => 'once' })
    const results = await Promise.all(
      ['mkdir .curfew; echo x > .curfew/config.json', 'rmdir .curfew', 'sleep 0.3; touch .curfew/a'].map(
        (command) => run(command),
      ),
    )
    for (const result of results) expect(result).toMatchObject({ value: { exit_code: 1 } })
    expect(readdirSync(folder)).toEqual([])
  })

  test('privileges, mounts and other processes are out of reach', async () => {
    const { run } = offline()
    const tag = newTag()
    for (const command of [
      `mount -o remount,rw /; mount -o remount,bind,rw /; touch ${outside}/x`,
      `unshare -Ur sh -c 'mount -o remount,rw /; mount -o remount,bind,rw / ; touch ${outside}/x'`,
      `nsenter -t 1 -m touch ${outside}/x`,
      `umount -l ${outside}; umount -l /tmp; chroot / touch ${outside}/x`,
      `kill -9 ${process.pid}`,
      `echo 1 > /sys/fs/cgroup/cgroup.procs`,
    ])
      expect((await run(command)).content, command).not.toMatch(/^\[exit code 0/)
    expect(readdirSync(outside).filter((name) => name === 'x')).toEqual([])
    expect(left(tag)).toEqual([])
  })

  test('nothing is left when a command ends, is stopped, or reaches its limit', async () => {
    const { run, call } = offline()
    const tag = newTag()
    const tree = `(setsid sleep ${tag} &); (env -i setsid sleep ${tag} &); trap "" TERM`
    expect(await run(`${tree}; echo done`)).toMatchObject({ value: { stdout: 'done' } })
    await untilNoneLeft(tag)
    const stopped = await run(`${tree}; echo up; sleep ${tag}; sleep ${tag}`, { timeout_seconds: 1 })
    // On a busy machine, the call's own limit may come first.
    expect(stopped.content).toMatch(/ended at its limit of 1 s|was stopped after/)
    expect(stopped.content).toContain('up')
    await untilNoneLeft(tag)
    const { task } = (await run(`${tree}; echo up; sleep ${tag}`, { background: true })) as unknown as {
      task: number
    }
    await until(() => left(tag).length >= 3)
    expect(await call('stop_command', { task })).toMatchObject({ value: { stopped: true } })
    await untilNoneLeft(tag)
  })

  test('a workspace whose .curfew or .git is a link is rejected', async () => {
    for (const name of ['.curfew', '.git']) {
      const { run, folder } = offline()
      symlinkSync(outside, join(folder, name))
      expect(await run('echo ran')).toMatchObject({
        code: 'TOOL_FAILED',
        message: expect.stringMatching(/the sandbox cannot be set up: .* is a link/),
        output: '',
      })
    }
  })
})

test('without bubblewrap, the command does not run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-path-'))
  const before = process.env.PATH
  // As on a machine where namespaces are not allowed.
  writeFileSync(
    join(folder, 'bwrap'),
    '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
  )
  chmodSync(join(folder, 'bwrap'), 0o755)
  process.env.PATH = `${folder}:${before}`
  try {
    const { run, folder: workspace } = setUpCommands({ sandbox: 'workspace' })
    expect(await run('touch ran')).toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringMatching(
        /run_command did not run: the setting sandbox is "workspace", but the sandbox cannot be set up: .*No permissions/,
      ),
    })
    expect(readdirSync(workspace)).toEqual([])
  } finally {
    process.env.PATH = before
    rmSync(folder, { recursive: true })
  }
})

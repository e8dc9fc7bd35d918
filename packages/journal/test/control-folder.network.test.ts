import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { until } from '../../../test/support/until.ts'
import { connectControl } from '../src/control/connect-control.ts'
import { controlFolders } from '../src/control/control-folder.ts'
import { removeStaleSockets } from '../src/control/remove-stale-sockets.ts'
import { socketName } from '../src/control/socket-name.ts'
import { closeLater, folder, openControl } from './support/control-setup.ts'

const program = fileURLToPath(new URL('./fixtures/control-program.js', import.meta.url))
const started: ChildProcess[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A process with a control socket in the state folder of the test. */
async function startProcess(): Promise<{ readonly child: ChildProcess; readonly path: string }> {
  const child = spawn(process.execPath, [program, join(folder, 'state')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, path: String(line).trim() }
}

test('a sandbox hides the folders outside of the state folder', () => {
  const temporary = join(tmpdir(), `curfew-${process.getuid!()}`)
  expect(controlFolders({})).toEqual([temporary])
  expect(controlFolders({ XDG_RUNTIME_DIR: '/home/me/.run' })).toEqual(['/home/me/.run/curfew', temporary])
})

describe('the folder', () => {
  test('is below XDG_RUNTIME_DIR if that is ours', async () => {
    const runtimeFolder = join(folder, 'runtime')
    mkdirSync(runtimeFolder)
    const { path } = await openControl({ env: { XDG_RUNTIME_DIR: runtimeFolder } })
    expect(dirname(path)).toBe(join(runtimeFolder, 'curfew'))
  })

  test.each(['relative', '/proc', '/nowhere', ''])(
    'is below the state folder if XDG_RUNTIME_DIR is %j',
    async (dir) => {
      const { path, warnings } = await openControl({ env: { XDG_RUNTIME_DIR: dir } })
      expect(warnings).toEqual([])
      expect(dirname(path)).toMatch(/run$|curfew$/)
    },
  )

  test('is a temporary folder if the path would be too long, and is removed with its last socket', async () => {
    const options = { stateFolder: join(folder, 'x'.repeat(100)) }
    const first = await openControl(options)
    const second = await openControl(options)
    expect(dirname(first.path)).toBe(join(tmpdir(), `curfew-${process.getuid!()}`))
    expect(Buffer.byteLength(first.path)).toBeLessThanOrEqual(107)
    await first.close()
    expect(existsSync(second.path)).toBe(true)
    await second.close()
    expect(existsSync(dirname(second.path))).toBe(false)
  })

  test('is a temporary folder if the state folder cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '')
    const { path, warnings } = await openControl({ stateFolder: join(folder, 'file', 'state') })
    expect(dirname(path)).toBe(join(tmpdir(), `curfew-${process.getuid!()}`))
    expect(warnings).toEqual([])
  })

  test.each([0o755, 0o770, 0o701, 0o740])('with mode %o is rejected with one warning', async (mode) => {
    const path = join(folder, 'state', 'run')
    mkdirSync(path, { recursive: true })
    chmodSync(path, mode)
    const control = await openControl()
    expect(control.path).toBe('')
    expect(control.warnings).toEqual([
      `no control socket can be created, so curfew cancel cannot reach this process: ${path}: expected a folder that only you can access (mode 700), but its mode is ${mode.toString(8)}; run chmod 700 ${path}`,
    ])
    expect(readdirSync(path)).toEqual([])
    // Methods can be added all the same.
    control.handle('more', () => 1)
  })

  test('that is a link or a file is rejected', async () => {
    mkdirSync(join(folder, 'state'))
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 })
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'state', 'run'))
    expect((await openControl()).warnings).toEqual([
      expect.stringContaining('run: expected a folder; remove it'),
    ])
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other', 'run'), '')
    const { warnings } = await openControl({ stateFolder: join(folder, 'other') })
    expect(warnings).toEqual([expect.stringContaining('run: expected a folder; remove it')])
  })

  test('in a folder where anyone can replace it is rejected', async () => {
    mkdirSync(join(folder, 'state'))
    chmodSync(join(folder, 'state'), 0o777)
    const { path, warnings } = await openControl()
    expect(path).toBe('')
    expect(warnings).toEqual([expect.stringContaining('other users cannot replace yours')])
    chmodSync(join(folder, 'state'), 0o1777)
    expect((await openControl()).path).not.toBe('')
  })
})

/** `nobody`, if we may run commands as that user. */
const otherUser = 65_534
const canSwitchUser =
  process.getuid?.() === 0 && spawnSync('setpriv', ['--reuid', String(otherUser), 'true']).status === 0

describe.runIf(canTest(canSwitchUser ? null : 'a second user needs root and setpriv'))('another user', () => {
  const asOther = (script: string, ...args: string[]): string => {
    const command = ['--reuid', String(otherUser), '--regid', String(otherUser), '--clear-groups']
    return execFileSync('setpriv', [...command, process.execPath, '-e', script, ...args], {
      encoding: 'utf8',
      cwd: '/',
      env: { PATH: process.env.PATH },
    })
  }
  const tryConnect = `require('node:net').connect(process.argv[1]).on('connect', () => console.log('connected') || process.exit())
    .on('error', (error) => console.log(error.code))`

  test('cannot connect, neither through the folder nor to the socket itself', async () => {
    // Others cannot enter the folder of all tests.
    const open = mkdtempSync(join(dirname(tmpdir()), 'curfew-second-user-'))
    closeLater({ close: () => rmSync(open, { recursive: true }) })
    chmodSync(open, 0o755)
    const { path } = await openControl({ stateFolder: open })
    expect(asOther(tryConnect, path)).toBe('EACCES\n')
    chmodSync(dirname(path), 0o755)
    expect(asOther(tryConnect, path)).toBe('EACCES\n')
    // Without both, they could.
    chmodSync(path, 0o666)
    expect(asOther(tryConnect, path)).toBe('connected\n')
  })

  test('cannot prepare a folder that we would use', async () => {
    chmodSync(folder, 0o1777)
    mkdirSync(join(folder, 'run'), { mode: 0o700 })
    chownSync(join(folder, 'run'), otherUser, otherUser)
    const { path, warnings } = await openControl({ stateFolder: folder })
    expect(path).toBe('')
    expect(warnings).toEqual([expect.stringContaining(`but it belongs to user ${otherUser}; remove it`)])
  })

  test('whose XDG_RUNTIME_DIR is inherited, such as after su, gets no socket of ours', async () => {
    const runtimeFolder = join(folder, 'runtime')
    mkdirSync(runtimeFolder, { mode: 0o700 })
    chownSync(runtimeFolder, otherUser, otherUser)
    const { path, warnings } = await openControl({ env: { XDG_RUNTIME_DIR: runtimeFolder } })
    expect(dirname(path)).toBe(join(folder, 'state', 'run'))
    expect(warnings).toEqual([])
  })
})

describe('stale sockets', () => {
  const signal = new AbortController().signal

  test('of a killed process are removed, live ones are not', async () => {
    const [dead, alive, stopped] = await Promise.all([startProcess(), startProcess(), startProcess()])
    expect(new Set([dead.path, alive.path, stopped.path]).size).toBe(3)
    dead.child.kill('SIGKILL')
    await once(dead.child, 'exit')
    stopped.child.kill('SIGSTOP')
    expect(existsSync(dead.path)).toBe(true)
    await removeStaleSockets(dirname(dead.path), signal, -1)
    expect(existsSync(dead.path)).toBe(false)
    expect(existsSync(alive.path)).toBe(true)
    expect(existsSync(stopped.path)).toBe(true)
    const client = closeLater(await connectControl(alive.path, { timeoutMs: 60_000 }))
    expect(await client.request('hello')).toMatchObject({ program: 'fixture' })
  })

  test('are removed by the next process that starts, unless they are new', async () => {
    const { child, path } = await startProcess()
    child.kill('SIGKILL')
    await once(child, 'exit')
    await removeStaleSockets(dirname(path), signal)
    expect(existsSync(path)).toBe(true)
    // The name is taken, so the next one gets another.
    const next = await openControl({ run: 'k9ab' })
    expect(basename(next.path)).toMatch(/^k9ab\.1-/)
  })

  test('only our own sockets of this machine are touched', async () => {
    const names = ['k9ab-00000000.sock', 'other.sock', socketName('file'), 'notes.txt']
    const sockets = names.map((name) => join(folder, name))
    for (const path of [sockets[2]!, sockets[3]!]) writeFileSync(path, '')
    for (const path of [sockets[0]!, sockets[1]!]) await leaveSocket(path)
    const own = join(folder, socketName('mine'))
    await leaveSocket(own)
    symlinkSync(own, join(folder, socketName('link')))
    await removeStaleSockets(folder, signal, -1)
    expect(readdirSync(folder).sort()).toEqual([...names, socketName('link')].sort())
  })
})

/** A socket that nobody listens to. */
async function leaveSocket(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', script, path])
  await until(() => existsSync(path))
}

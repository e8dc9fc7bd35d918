import { fileURLToPath } from 'node:url'
import { isRunning, type Process } from '../observe/processes.ts'
import { expect, expectNothingLeft, expectText, until } from '../trial/expectations.ts'
import type { Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

const program = fileURLToPath(new URL('../../fixtures/process.pl', import.meta.url))

/** A hostile process of the suite, as part of a shell command. */
const hostile = (trial: Trial, ...options: string[]): string =>
  `perl ${program} ${trial.files.roster} ${options.join(' ')}`

/** After its limit, a call may wait for a command that was told to end. */
const returnsWithinMs = 4_000

interface Scenario {
  /** The hostile processes start, and the command goes on. */
  command(trial: Trial): string
  /** How many processes are running before the call ends. */
  readonly processes?: number
  /** In which they start, also on a busy machine. @default 2_000 */
  readonly limitMs?: number
}

/** The command is ended at its limit, and nothing is left. */
const endsAtLimit =
  ({ command, processes = 1, limitMs = 2_000 }: Scenario) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ limitMs })
    const started = subject.startCommand(command(trial))
    await untilStarted(trial, processes)
    const { ms, rejected } = await started.settled(returnsWithinMs + subject.limitMs)
    expect(rejected === null, `no result; the product rejected with ${rejected}`)
    expect(ms <= subject.limitMs + returnsWithinMs, `it returned after ${Math.round(ms)} ms`)
    await expectNothingLeft(trial)
    const next = await subject.command('echo it still works')
    expectText(next.result, 'it still works')
  }

/** The command ends by itself, and nothing is left. */
const endsByItself =
  (command: (trial: Trial) => string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ limitMs: 5_000 })
    const started = subject.startCommand(command(trial))
    await started.settled(6_000)
    await expectNothingLeft(trial)
  }

/** The user cancels the call, and nothing is left. */
const endsWhenCancelled =
  (command: (trial: Trial) => string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ limitMs: 60_000 })
    const started = subject.startCommand(command(trial))
    await untilStarted(trial, 1)
    started.cancel()
    await started.settled(returnsWithinMs)
    await expectNothingLeft(trial)
  }

/** The product is killed with SIGKILL, and nothing of its command is left. */
const endsWithHost =
  (command: (trial: Trial) => string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ limitMs: 60_000 })
    subject.startCommand(command(trial))
    await untilStarted(trial, 1)
    await subject.host.kill()
    await expectNothingLeft(trial)
  }

async function untilStarted({ files }: Trial, count: number): Promise<void> {
  await until(() => files.enrolled().length >= count, `fewer than ${count} of the hostile processes started`)
}

export const processCases: readonly TortureCase[] = defineGroup('processes', {
  'plain-child': {
    hurts: 'The user whose command has timed out, and computes on.',
    issues: ['gemini-cli#15873'],
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `exec ${hostile(trial)}` }),
  },
  grandchild: {
    hurts: 'The user of `npm test`: the shell is ended, and what it started runs on.',
    issues: ['gemini-cli#15873'],
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial)} & wait` }),
  },
  'grandchild-in-a-session-holds-the-pipe': {
    hurts: 'The user whose agent waits for a pipe that a process in another session holds.',
    issues: ['codex#4337'],
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'setsid')} & wait; sleep 100` }),
  },
  'double-forked-daemon': {
    hurts: 'The user whose agent starts a daemon in each attempt to run the tests.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'daemon')} >/dev/null 2>&1; sleep 100` }),
  },
  'daemon-left-behind': {
    hurts: 'The user with a thousand servers that commands left behind when they succeeded.',
    issues: ['mcp-searxng#60'],
    needs: ['command'],
    run: endsByItself((trial) => `${hostile(trial, 'daemon')} >/dev/null 2>&1; sleep 0.3; exit 0`),
  },
  'ignores-sigterm': {
    hurts: 'The user of a command that catches SIGTERM.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `exec ${hostile(trial, 'deaf')}` }),
  },
  'deaf-grandchild-holds-the-pipe': {
    hurts: 'The user whose agent waits for a pipe that a process that catches SIGTERM holds.',
    issues: ['codex#4337'],
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'deaf')} & sleep 100` }),
  },
  'exits-while-grandchild-holds-the-pipe': {
    hurts:
      'The user of a command that succeeds, and whose call hangs, because a grandchild holds its output.',
    issues: ['codex#4337'],
    needs: ['command'],
    run: endsByItself((trial) => `${hostile(trial)} & sleep 0.3; echo done; exit 0`),
  },
  'stopped-child': {
    hurts: 'The user of a process that is stopped, and gets no signal but SIGKILL.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'stop')} & wait; sleep 100` }),
  },
  'without-environment-or-descriptors': {
    hurts: 'The user of a daemon that closes everything that it inherited.',
    needs: ['command'],
    run: endsAtLimit({
      command: (trial) => `(env -i ${perlPath} ${hostile(trial, 'daemon', 'close').slice(5)} &); sleep 100`,
    }),
  },
  'five-sessions-deep': {
    hurts: 'The user of a process that left its session, its group and its parent several times.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'sessions')}; sleep 100` }),
  },
  'renames-itself': {
    hurts: 'The user of a process whose command line is that of a kernel thread.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'daemon', 'named')}; sleep 100` }),
  },
  'fork-storm': {
    hurts: 'The user of a command that starts two hundred processes.',
    needs: ['command'],
    heavy: true,
    run: endsAtLimit({
      command: (trial) => `${hostile(trial, 'storm')} & wait`,
      processes: 200,
      limitMs: 8_000,
    }),
  },
  'hops-from-process-to-process': {
    hurts:
      'The user of a process that forks and exits every few milliseconds, so that each list of processes is old.',
    needs: ['command'],
    heavy: true,
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'hop')} & sleep 100`, processes: 5 }),
  },
  'respawns-its-child': {
    hurts: 'The user of a supervisor that starts its child again when it is killed.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `${hostile(trial, 'respawn')} & wait`, processes: 2 }),
  },
  'leaves-zombies': {
    hurts: 'The user of a parent that does not wait for its children.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `exec ${hostile(trial, 'zombies')}` }),
  },
  'writes-after-the-end': {
    hurts: 'The user whose files are changed by a command that has timed out.',
    needs: ['command'],
    run: endsAtLimit({
      command: (trial) =>
        `${hostile(trial, 'spam', 'deaf')} & ${hostile(trial, 'spam', 'setsid')} & wait; sleep 100`,
      processes: 2,
    }),
  },
  'closes-its-output': {
    hurts: 'The user of a command that closes its output early, which is taken for its end.',
    needs: ['command'],
    run: endsAtLimit({ command: (trial) => `exec >&- 2>&-; exec ${hostile(trial)}` }),
  },
  nohup: {
    hurts: 'The user whose agent writes `nohup ... &`.',
    needs: ['command'],
    run: endsByItself((trial) => `nohup ${hostile(trial)} >/dev/null 2>&1 & sleep 0.3`),
  },
  'cancelled-command': {
    hurts: 'The user who presses Esc: the command goes on.',
    issues: ['codex#42717', 'gemini-cli#9116'],
    needs: ['command', 'cancel'],
    run: endsWhenCancelled((trial) => `${hostile(trial, 'deaf')} & wait`),
  },
  'cancelled-daemon': {
    hurts: 'The user who presses Esc: what the command started in another session goes on.',
    issues: ['codex#42717'],
    needs: ['command', 'cancel'],
    run: endsWhenCancelled((trial) => `${hostile(trial, 'daemon')}; sleep 100`),
  },
  'host-killed': {
    hurts: 'The user whose agent is killed for its memory: its commands run on, one at 100 % for 47 days.',
    issues: ['gemini-cli#15873', 'claude-code#26658'],
    needs: ['command'],
    run: endsWithHost((trial) => `exec ${hostile(trial)}`),
  },
  'host-killed-deaf-child': {
    hurts: 'The user whose agent is killed while a command runs that catches signals.',
    issues: ['claude-code#26658'],
    needs: ['command'],
    run: endsWithHost((trial) => `${hostile(trial, 'deaf')} & wait`),
  },
  'host-killed-daemon': {
    hurts: 'The user whose agent is killed while a command runs that started a daemon.',
    issues: ['claude-code#26658'],
    needs: ['command'],
    run: endsWithHost((trial) => `${hostile(trial, 'daemon')} >/dev/null 2>&1; sleep 100`),
  },
  'host-killed-without-environment': {
    hurts: 'The user whose agent is killed while a process runs that nothing marks.',
    needs: ['command'],
    run: endsWithHost(
      (trial) => `env -i ${perlPath} ${hostile(trial).slice(5)} 3>&- </dev/null >/dev/null 2>&1 & wait`,
    ),
  },
  'exit-code-is-reported': {
    hurts: 'The model that takes a failed command for a successful one.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open({ limitMs: 5_000 })
      const { result } = await subject.command('echo partly; exit 7')
      expectText(result, 'partly')
      expectText(result, /\b7\b/)
    },
  },
  'missing-program': {
    hurts: 'The model that reads nothing when a program does not exist.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open({ limitMs: 5_000 })
      const { result } = await subject.command('no-such-program-anywhere --help')
      expectText(result, /not found|ENOENT|no such/i)
    },
  },
  'servers-end-with-the-host': {
    hurts: 'The user with 1,073 MCP servers that nobody uses, and 70 GB of memory.',
    issues: ['mcp-searxng#60', 'claude-code#26658'],
    needs: ['server'],
    async run(trial) {
      const subject = await trial.open({ servers: { plain: '' } })
      await subject.call('plain/quick', { text: 'a' }, 10_000)
      await subject.host.kill()
      await expectServersGone(trial)
    },
  },
  'deaf-server-ends-on-close': {
    hurts: 'The user of a server that ignores SIGTERM and the end of its input.',
    issues: ['claude-code#26658'],
    needs: ['server'],
    async run(trial) {
      const subject = await trial.open({ servers: { deaf: 'ignores-sigterm' } })
      await subject.call('deaf/quick', { text: 'a' }, 10_000)
      await subject.host.close()
      await expectServersGone(trial)
    },
  },
  'deaf-server-ends-with-the-host': {
    hurts: 'The user whose agent is killed, with a server that ignores the end of its input.',
    issues: ['claude-code#26658'],
    needs: ['server'],
    async run(trial) {
      const subject = await trial.open({ servers: { deaf: 'ignores-sigterm' } })
      await subject.call('deaf/quick', { text: 'a' }, 10_000)
      await subject.host.kill()
      await expectServersGone(trial)
    },
  },
  'children-of-servers-end': {
    hurts: 'The user of a server that starts a browser: it stays when the server ends.',
    needs: ['server'],
    async run(trial) {
      const subject = await trial.open({ servers: { parent: 'starts-children' } })
      await subject.call('parent/quick', { text: 'a' }, 10_000)
      await untilStarted(trial, 2)
      await subject.host.close()
      await expectNothingLeft(trial)
    },
  },
})

const perlPath = '/usr/bin/perl'

/** The servers of this case have ended. */
async function expectServersGone({ files }: Trial): Promise<void> {
  const servers = files.readEvents('server').map(({ detail }) => detail as Process)
  expect(servers.length > 0, 'no server was started')
  await until(
    () => !servers.some(isRunning),
    `${servers.filter(isRunning).length} server(s) are still running`,
    3_000,
  )
}

import { isRunning, type Process } from '../observe/processes.ts'
import {
  expect,
  expectAtLimit,
  expectError,
  expectNoSecondEnd,
  expectReadable,
  expectResultForEach,
  expectSuccess,
  expectText,
  expectTimeout,
  expectWorks,
  MemoryWatch,
  until,
} from '../trial/expectations.ts'
import type { Subject } from '../trial/subject.ts'
import type { Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

const openServer = (trial: Trial, fault: string, limitMs = 1_500): Promise<Subject> =>
  trial.open({ servers: { hostile: fault }, limitMs })

/** Another tool of the same server, which works. */
async function expectServerWorks(subject: Subject): Promise<void> {
  await expectWorks(subject, 'hostile/sleeps', { ms: 10 }, 'slept 10 ms')
}

/** The server does not answer the call: it ends at its limit, and the server is used again. */
const callTimesOut =
  (fault: string, serverWorks = true) =>
  async (trial: Trial): Promise<void> => {
    const subject = await openServer(trial, fault)
    const outcome = await subject.call('hostile/quick', { text: 'a' })
    expectTimeout(outcome.result)
    expectAtLimit(outcome, subject.limitMs)
    if (serverWorks) await expectServerWorks(subject)
  }

/** The server answers with what is not allowed: the call ends with an error, at once or at its limit. */
const callFails =
  (fault: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await openServer(trial, fault)
    const { result } = await subject.call('hostile/quick', { text: 'a' })
    expectError(result)
    await expectServerWorks(subject)
  }

/** Either is fine, as long as it ends. */
const callEnds =
  (fault: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await openServer(trial, fault)
    const { result } = await subject.call('hostile/quick', { text: 'a' })
    expectReadable(result)
    await expectServerWorks(subject)
  }

const callSucceeds =
  (fault: string, text: string, limitMs = 10_000) =>
  async (trial: Trial): Promise<void> => {
    const subject = await openServer(trial, fault, limitMs)
    const { result } = await subject.call('hostile/quick', { text: 'a' })
    expectSuccess(result, text)
    await expectServerWorks(subject)
    expectNoSecondEnd(subject)
  }

/** A server that cannot be used: the product starts without it, and other servers work. */
const othersWork =
  (fault: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ servers: { hostile: fault, plain: '' }, limitMs: 2_000 })
    const started = subject.start([['plain/quick', { text: 'a' }]])
    const settled = await started.settled(15_000)
    expectResultForEach(started, settled)
    expectSuccess(settled.results[0]!, 'quick: a')
  }

/** An API that does not answer. */
const apiTimesOut =
  (path: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ apis: [path, 'works'], limitMs: 2_000 })
    const outcome = await subject.call(toName(path))
    expectTimeout(outcome.result)
    expectAtLimit(outcome, subject.limitMs)
    await expectApiWorks(subject)
    const api = await trial.api()
    let connections = await api.connections()
    // It may take a moment until the server notices.
    for (let round = 0; round < 20 && connections > 1; round++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      connections = await api.connections()
    }
    // The one that works may be kept open for the next request.
    expect(connections <= 1, `${connections} connections are still open`)
  }

const apiFails =
  (path: string, text?: string | RegExp) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ apis: [path, 'works'], limitMs: 5_000 })
    const { result, ms } = await subject.call(toName(path))
    expectError(result, text)
    expect(ms < 4_500, `it took ${Math.round(ms)} ms to report the error`)
    expect(result.length < 500_000, `the model would read ${result.length} characters`)
    await expectApiWorks(subject)
  }

const toName = (path: string): string => path.replaceAll('-', '_')

async function expectApiWorks(subject: Subject): Promise<void> {
  const { result } = await subject.call('works', {}, 5_000)
  expectSuccess(result, 'it works')
}

export const remoteCases: readonly TortureCase[] = defineGroup('remote', {
  'server-silent-at-start': {
    hurts: 'The user whose agent does not start, because one of its servers does not.',
    issues: ['gemini-cli#12163'],
    needs: ['server'],
    run: othersWork('silent-start'),
  },
  'server-exits-at-start': {
    hurts: 'The user whose agent does not start, because one of its servers is not configured.',
    needs: ['server'],
    run: othersWork('crashes-at-start'),
  },
  'server-prints-at-start': {
    hurts: 'The user of a server that greets on its standard output.',
    needs: ['server'],
    run: othersWork('prints-at-start'),
  },
  'list-never-comes': {
    hurts: 'The user whose agent does not start, because a server does not list its tools.',
    needs: ['server'],
    run: othersWork('silent-list'),
  },
  'list-without-end': {
    hurts: 'The user of a server whose list of tools always has one more page.',
    needs: ['server'],
    run: othersWork('endless-list'),
  },
  'list-with-broken-tools': {
    hurts: 'The user of a server with twenty tools, one of which has an invalid definition.',
    needs: ['server'],
    async run(trial) {
      const subject = await openServer(trial, 'broken-list', 3_000)
      const { result } = await subject.call('hostile/quick', { text: 'a' }, 10_000)
      expectSuccess(result, 'quick: a')
    },
  },
  'call-never-answered': {
    hurts: 'The user of a server that takes a call and never answers.',
    issues: ['claude-code#53641', 'claude-code#15945'],
    needs: ['server'],
    run: callTimesOut('silent-call'),
  },
  'server-is-told-to-stop': {
    hurts: 'The operator of a server that works on calls that nobody waits for.',
    issues: ['codex#26956'],
    needs: ['server'],
    async run(trial) {
      const subject = await openServer(trial, 'silent-call')
      await subject.call('hostile/quick', { text: 'a' })
      await until(
        () => trial.files.readEvents('received notifications/cancelled').length > 0 || serverEnded(trial),
        'the server was neither told to stop nor ended',
        3_000,
      )
    },
  },
  'cancel-reaches-the-server': {
    hurts: 'The operator of a server that works on calls that the user cancelled.',
    issues: ['codex#26956'],
    needs: ['server', 'cancel'],
    async run(trial) {
      const subject = await openServer(trial, 'silent-call', 60_000)
      const started = subject.start([['hostile/quick', { text: 'a' }]])
      await until(() => trial.files.readEvents('started').length > 0, 'the call did not reach the server')
      started.cancel()
      await started.settled(5_000)
      await until(
        () => trial.files.readEvents('received notifications/cancelled').length > 0 || serverEnded(trial),
        'the server was neither told to stop nor ended',
        3_000,
      )
      await expectServerWorks(subject)
    },
  },
  'blocked-server': {
    hurts: 'The user of a server that computes without end, and can be told nothing.',
    needs: ['server'],
    run: callTimesOut('blocks-in-call'),
  },
  'server-crashes-in-a-call': {
    hurts:
      'The user whose agent waits for a server that has crashed, or has to be started anew because of it.',
    needs: ['server'],
    run: callFails('crashes-in-call'),
  },
  'server-killed-in-a-call': {
    hurts: 'The user whose server was ended for its memory.',
    issues: ['claude-code#26658'],
    needs: ['server'],
    run: callFails('killed-in-call'),
  },
  'server-closes-its-output': {
    hurts: 'The user of a server that lives on, but cannot answer any more.',
    needs: ['server'],
    run: callFails('closes-output-in-call'),
  },
  'answers-twice': {
    hurts: 'The model that reads the answer to one call as that of the next.',
    needs: ['server'],
    run: callSucceeds('answers-twice', 'the first answer'),
  },
  'answers-what-nobody-asked': {
    hurts: 'The user of a server that answers requests that do not exist.',
    needs: ['server'],
    run: callSucceeds('answers-unknown-id', 'the answer'),
  },
  'answers-in-another-order': {
    hurts: 'The model that reads the result of another call.',
    issues: ['gemini-cli#17067'],
    needs: ['server', 'batch'],
    async run(trial) {
      const subject = await openServer(trial, 'answers-other-call', 3_000)
      const started = subject.start([
        ['hostile/quick', { text: 'first' }],
        ['hostile/quick', { text: 'second' }],
      ])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      const [first, second] = settled.results
      // A product that calls servers one at a time waits for an answer that never comes.
      for (const [result, text] of [
        [first!, 'first'],
        [second!, 'second'],
      ] as const)
        if (!result.isError) expectText(result, text)
    },
  },
  'result-without-content': {
    hurts: 'The user of a server whose result lacks its content.',
    needs: ['server'],
    run: callEnds('no-content'),
  },
  'content-is-a-string': {
    hurts: 'The user of a server whose content is a string instead of a list.',
    needs: ['server'],
    run: callEnds('content-is-no-list'),
  },
  'result-is-null': {
    hurts: 'The user of a server that answers null.',
    needs: ['server'],
    run: callEnds('result-is-null'),
  },
  'neither-result-nor-error': {
    hurts: 'The user of a server that answers nothing at all.',
    needs: ['server'],
    run: callFails('neither-result-nor-error'),
  },
  'error-without-message': {
    hurts: 'The user of a server that reports an error without a message.',
    needs: ['server'],
    run: callFails('error-without-message'),
  },
  'answer-is-broken-json': {
    hurts: 'The user of a server whose answer is cut off.',
    needs: ['server'],
    run: callFails('broken-json'),
  },
  'half-a-line': {
    hurts: 'The user of a server that stops in the middle of its answer.',
    needs: ['server'],
    async run(trial) {
      const subject = await openServer(trial, 'half-a-line')
      const outcome = await subject.call('hostile/quick', { text: 'a' })
      expectError(outcome.result)
    },
  },
  'prints-in-a-call': {
    hurts: 'The user of a server with a forgotten `console.log`.',
    needs: ['server'],
    run: callSucceeds('prints-in-call', 'the answer'),
  },
  'invalid-utf8-from-a-server': {
    hurts: 'The user of a server that sends a file in another encoding.',
    needs: ['server'],
    run: callEnds('invalid-utf8'),
  },
  'answer-of-100-megabytes': {
    hurts: 'Everyone in the process: a server answers with a line of 100 MB.',
    needs: ['server'],
    heavy: true,
    async run(trial) {
      const subject = await openServer(trial, 'huge-line', 20_000)
      await expectServerWorks(subject)
      const { result } = await subject.call('hostile/quick', { text: 'a' })
      expectReadable(result)
      expect(result.length <= 2_000_000, `the model would read ${result.length} characters`)
      await expectServerWorks(subject)
    },
  },
  'line-without-end': {
    hurts: 'Everyone in the process: a server writes a gigabyte without a line break.',
    needs: ['server'],
    heavy: true,
    async run(trial) {
      const subject = await openServer(trial, 'line-without-end', 8_000)
      const memory = await MemoryWatch.start(trial, subject, () => expectServerWorks(subject))
      const { result } = await subject.call('hostile/quick', { text: 'a' }, 15_000)
      expectError(result)
      memory.expectBelow(300)
    },
  },
  'flood-of-notifications': {
    hurts: 'The user of a server that logs two hundred thousand lines in a call.',
    needs: ['server'],
    heavy: true,
    run: callSucceeds('floods-notifications', 'the answer', 30_000),
  },
  'flood-of-errors': {
    hurts: 'The user of a server that writes 100 MB to its standard error; if nobody reads it, it blocks.',
    needs: ['server'],
    heavy: true,
    run: callSucceeds('floods-stderr', 'the answer', 30_000),
  },
  'list-changes-without-end': {
    hurts: 'The user of a server that announces another list of tools every few milliseconds.',
    needs: ['server'],
    async run(trial) {
      const subject = await openServer(trial, 'list-changes-without-end', 5_000)
      const { result } = await subject.call('hostile/quick', { text: 'a' })
      expectSuccess(result, 'quick: a')
      const before = trial.files.readEvents('received tools/list').length
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const lists = trial.files.readEvents('received tools/list').length - before
      expect(lists <= 60, `it asked for the list ${lists} times in 2 s`)
    },
  },
  'server-asks-for-sampling': {
    hurts: 'The user of a server that waits for an answer to its own request.',
    needs: ['server'],
    run: callSucceeds('asks-for-sampling', 'the answer'),
  },
  'api-sends-no-headers': {
    hurts: 'The user of an API that accepts the connection and says nothing.',
    needs: ['api'],
    run: apiTimesOut('no-headers'),
  },
  'api-sends-no-body': {
    hurts: 'The user of an API that stalls after its headers, where most limits have ended.',
    needs: ['api'],
    run: apiTimesOut('no-body'),
  },
  'api-trickles': {
    hurts: 'The user of an API that sends a byte now and then, for ever.',
    needs: ['api'],
    run: apiTimesOut('trickle'),
  },
  'api-sends-without-end': {
    hurts: 'Everyone in the process: an API sends a response without end.',
    needs: ['api'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ apis: ['endless', 'works'], limitMs: 4_000 })
      const memory = await MemoryWatch.start(trial, subject, () => expectApiWorks(subject))
      const { result } = await subject.call('endless')
      expectReadable(result)
      memory.expectBelow(300)
      await expectApiWorks(subject)
    },
  },
  'api-redirects-without-end': {
    hurts: 'The user of an API that redirects to itself.',
    needs: ['api'],
    async run(trial) {
      await apiFails('redirects')(trial)
      const api = await trial.api()
      expect(api.count('/redirects') <= 50, `it followed ${api.count('/redirects')} redirects`)
    },
  },
  'api-closes-the-connection': {
    hurts: 'The model that reads half of a response as if it were whole.',
    needs: ['api'],
    run: apiFails('closes'),
  },
  'api-resets-the-connection': {
    hurts: 'Everyone in the process: an error of a socket that nobody handles.',
    needs: ['api'],
    run: apiFails('resets'),
  },
  'api-is-no-http': {
    hurts: 'The user of a port where something else listens.',
    needs: ['api'],
    run: apiFails('garbage'),
  },
  'api-fails-with-a-page': {
    hurts: 'The model that reads 1 MB of HTML instead of the status.',
    needs: ['api'],
    run: apiFails('html-error', '500'),
  },
  'api-sends-a-bomb': {
    hurts: 'Everyone in the process: 500 KB become 500 MB.',
    needs: ['api'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ apis: ['bomb', 'works'], limitMs: 15_000 })
      const memory = await MemoryWatch.start(trial, subject, () => expectApiWorks(subject))
      const { result } = await subject.call('bomb')
      expectReadable(result)
      memory.expectBelow(300)
      await expectApiWorks(subject)
    },
  },
  'api-sends-broken-json': {
    hurts: 'The user whose agent ends, because a response is no JSON.',
    needs: ['api'],
    async run(trial) {
      const subject = await trial.open({ apis: ['broken-json', 'works'] })
      const { result } = await subject.call('broken_json')
      expectReadable(result)
      await expectApiWorks(subject)
    },
  },
  'api-sends-nothing': {
    hurts: 'The user whose every further request is rejected, because a response was empty.',
    needs: ['api'],
    async run(trial) {
      const subject = await trial.open({ apis: ['empty', 'works'] })
      const { result } = await subject.call('empty')
      expectReadable(result)
      await expectApiWorks(subject)
    },
  },
})

function serverEnded({ files }: Trial): boolean {
  return files.readEvents('server').every(({ detail }) => !isRunning(detail as Process))
}

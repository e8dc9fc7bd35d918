import {
  expect,
  expectError,
  expectNextCallWorks,
  expectNoSecondEnd,
  expectResultForEach,
  expectSuccess,
  expectText,
  expectValidConversation,
  until,
} from '../trial/expectations.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const orderCases: readonly TortureCase[] = defineGroup('order', {
  'write-then-read': {
    hurts: 'The model that writes a file and reads the old content in the same response.',
    needs: ['function', 'batch', 'order'],
    async run(trial) {
      const subject = await trial.open({ tools: ['write-value', 'read-value'], limitMs: 5_000 })
      const started = subject.start([['write-value', { value: 'a' }], ['read-value']])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[1]!, 'read a')
    },
  },
  'read-then-write': {
    hurts: 'The model that reads a file before it changes it, and gets the changed content.',
    needs: ['function', 'batch', 'order'],
    async run(trial) {
      const subject = await trial.open({ tools: ['write-value', 'read-value'], limitMs: 5_000 })
      const started = subject.start([['read-value'], ['write-value', { value: 'a' }]])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[0]!, 'read nothing')
    },
  },
  'write-read-write-read': {
    hurts: 'The model whose four calls of one response depend on each other.',
    needs: ['function', 'batch', 'order'],
    async run(trial) {
      const subject = await trial.open({ tools: ['write-value', 'read-value'], limitMs: 5_000 })
      const started = subject.start([
        ['write-value', { value: 'a' }],
        ['read-value'],
        ['write-value', { value: 'b' }],
        ['read-value'],
      ])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[1]!, 'read a')
      expectSuccess(settled.results[3]!, 'read b')
    },
  },
  'conflicting-writes': {
    hurts: 'The user whose file loses one of two changes of one response.',
    needs: ['function', 'batch', 'order'],
    async run(trial) {
      const subject = await trial.open({ tools: ['increment'], limitMs: 5_000 })
      const started = subject.start(Array.from({ length: 5 }, () => ['increment'] as const))
      const settled = await started.settled()
      expectResultForEach(started, settled)
      const counts = settled.results.map(({ text }) => /count (\d)/.exec(text)?.[1]).join()
      expect(counts === '1,2,3,4,5', `expected the counts 1,2,3,4,5, got ${counts}`)
    },
  },
  'independent-reads-at-once': {
    hurts: 'The user who waits for ten searches one after the other.',
    needs: ['function', 'batch', 'order'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps'], limitMs: 10_000 })
      const started = subject.start(Array.from({ length: 6 }, () => ['sleeps', { ms: 2_000 }] as const))
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expect(settled.ms < 8_000, `six calls of 2,000 ms took ${Math.round(settled.ms)} ms`)
    },
  },
  'results-in-call-order': {
    hurts: 'The model that reads the result of another call, because they are paired by position.',
    issues: ['gemini-cli#17067'],
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps'], limitMs: 10_000 })
      const started = subject.start([
        ['sleeps', { ms: 600 }],
        ['sleeps', { ms: 10 }],
        ['sleeps', { ms: 300 }],
        ['sleeps', { ms: 1 }],
      ])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      const texts = settled.results.map(({ text }) => /slept (\d+)/.exec(text)?.[1]).join()
      expect(texts === '600,10,300,1', `expected the results of 600,10,300,1, got ${texts}`)
    },
  },
  'repeated-ids': {
    hurts: 'The user of a local model that gives two calls the same id.',
    issues: ['gemini-cli#17067'],
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'] })
      const started = subject.start([
        ['quick', { text: 'a' }, 'same'],
        ['quick', { text: 'b' }, 'same'],
      ])
      const { results, rejected } = await started.settled()
      expect(rejected === null, `no results; the product rejected with ${rejected}`)
      expect(results.length === 2, `expected a result for each of 2 calls, got ${results.length}`)
      for (const [index, text] of ['quick: a', 'quick: b'].entries())
        if (!results[index]!.isError) expectText(results[index]!, text)
      await expectNextCallWorks(subject)
    },
  },
  'empty-id': {
    hurts: 'The user of a local model that gives its calls no id.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'] })
      const { results, rejected } = await subject.start([['quick', { text: 'a' }, '']]).settled()
      expect(rejected === null, `no results; the product rejected with ${rejected}`)
      expect(results.length === 1, `expected 1 result, got ${results.length}`)
      await expectNextCallWorks(subject)
    },
  },
  'failure-beside-successes': {
    hurts: 'The model that gets no result at all, because one of three calls failed.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick', 'fails'] })
      const started = subject.start([['quick', { text: 'a' }], ['fails'], ['quick', { text: 'b' }]])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[0]!, 'quick: a')
      expectError(settled.results[1]!, 'always fails')
      expectSuccess(settled.results[2]!, 'quick: b')
      await expectNextCallWorks(subject)
    },
  },
  'unknown-tool-beside-successes': {
    hurts: 'The model that gets no result at all, because one of three names is wrong.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick'] })
      const started = subject.start([['quick', { text: 'a' }], ['no-such-tool'], ['quick', { text: 'b' }]])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[0]!, 'quick: a')
      expectError(settled.results[1]!)
      expectSuccess(settled.results[2]!, 'quick: b')
      await expectNextCallWorks(subject)
    },
  },
  'cancel-in-mid-batch': {
    hurts:
      'The user who presses Esc, and whose conversation is rejected from then on, because a call has no result.',
    issues: ['gemini-cli#17067', 'codex#27758'],
    needs: ['function', 'batch', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick', 'never'], limitMs: 60_000 })
      const started = subject.start([
        ['quick', { text: 'a' }],
        ['never'],
        ['never'],
        ['quick', { text: 'b' }],
      ])
      const hasRun = (name: string): boolean => trial.files.readEvents(name).length > 0
      await until(() => hasRun('started') && hasRun('quick'), 'the tools did not start')
      // The result of the quick call may be on its way through several processes.
      await pause(500)
      started.cancel()
      const settled = await started.settled(4_000)
      if (!subject.isConversation) {
        expectResultForEach(started, settled)
        expectSuccess(settled.results[0]!, 'quick: a')
        expectError(settled.results[1]!)
      }
      await expectNextCallWorks(subject)
      expectNoSecondEnd(subject)
    },
  },
  'cancel-before-the-start': {
    hurts: 'The user who presses Esc before a call starts, and it runs.',
    needs: ['function', 'batch', 'cancel', 'order'],
    async run(trial) {
      const subject = await trial.open({ tools: ['never', 'slow-effect', 'quick'], limitMs: 60_000 })
      const started = subject.start([
        ['slow-effect', { name: 'first', ms: 5_000 }],
        ['slow-effect', { name: 'second', ms: 10 }],
      ])
      await until(() => trial.files.readEvents('effect').length > 0, 'the first tool did not start')
      started.cancel()
      await started.settled(4_000)
      await pause(500)
      const names = trial.files.readEvents('effect').map(({ detail }) => detail)
      expect(!names.includes('second'), 'a call started after the cancel')
      await expectNextCallWorks(subject)
    },
  },
  'cancel-twice': {
    hurts: 'The user who presses Esc twice.',
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps', 'quick'], limitMs: 60_000 })
      const started = subject.start([['sleeps', { ms: 50_000 }]])
      await until(() => trial.files.readEvents('started').length > 0, 'the tool did not start')
      started.cancel()
      started.cancel()
      await started.settled(4_000)
      expectNoSecondEnd(subject)
      await expectNextCallWorks(subject)
    },
  },
  'cancel-reaches-the-tool': {
    hurts: 'The user whose download goes on after the cancel.',
    issues: ['codex#26956'],
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps', 'quick'], limitMs: 60_000 })
      const started = subject.start([['sleeps', { ms: 50_000 }]])
      await until(() => trial.files.readEvents('started').length > 0, 'the tool did not start')
      started.cancel()
      await started.settled(4_000)
      await until(
        () => trial.files.readEvents('aborted').length > 0,
        'the tool was never told to stop',
        3_000,
      )
    },
  },
  'timeout-reaches-the-tool': {
    hurts: 'The user whose download goes on after its call has timed out.',
    issues: ['codex#26956'],
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps', 'quick'] })
      await subject.call('sleeps', { ms: 50_000 })
      await until(
        () => trial.files.readEvents('aborted').length > 0,
        'the tool was never told to stop',
        3_000,
      )
    },
  },
  'approval-does-not-hold-others': {
    hurts: 'The user who comes back, and finds that nothing was done, because one call waited for an answer.',
    needs: ['function', 'batch', 'approval'],
    async run(trial) {
      const tools = [{ name: 'effect', needsApproval: true }, 'sleeps']
      const subject = await trial.open({ tools, limitMs: 10_000 })
      const started = subject.start([
        ['effect', { name: 'asked' }],
        ['sleeps', { ms: 10 }],
      ])
      const { answer } = await subject.host.question(5_000)
      await until(
        () => trial.files.readEvents('ended').length > 0,
        'the other call waited for the answer',
        4_000,
      )
      answer(true)
      const { results } = await started.settled()
      // Results have ids, so that of the call that waited may be the last one.
      const asked = results.find(({ id }) => id === started.calls[0]!.id)
      expect(asked !== undefined, 'the call that waited has no result')
      expectSuccess(asked, 'did asked')
    },
  },
  'runs-only-after-the-answer': {
    hurts: 'The user who is asked about something that has been done.',
    needs: ['function', 'approval'],
    async run(trial) {
      const tools = [{ name: 'effect', needsApproval: true }]
      const subject = await trial.open({ tools, limitMs: 10_000 })
      const started = subject.start([['effect', { name: 'asked' }]])
      const { answer } = await subject.host.question(5_000)
      await pause(500)
      expect(trial.files.readEvents('effect').length === 0, 'it ran before the answer')
      answer(false)
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectError(settled.results[0]!)
      expect(trial.files.readEvents('effect').length === 0, 'it ran although the answer was no')
      expectValidConversation(subject)
    },
  },
  'waiting-does-not-count': {
    hurts:
      'The user who thinks for longer than the limit of the tool, and finds that the call has timed out.',
    needs: ['function', 'approval'],
    async run(trial) {
      const tools = [{ name: 'effect', needsApproval: true }]
      const subject = await trial.open({ tools })
      const started = subject.start([['effect', { name: 'asked' }]])
      const { answer } = await subject.host.question(5_000)
      await pause(subject.limitMs + 1_500)
      answer(true)
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[0]!, 'did asked')
    },
  },
  'cancel-while-asking': {
    hurts: 'The user who presses Esc instead of an answer, and whose agent waits for ever.',
    needs: ['function', 'approval', 'cancel'],
    async run(trial) {
      const tools = [{ name: 'effect', needsApproval: true }, 'quick']
      const subject = await trial.open({ tools, limitMs: 10_000 })
      const started = subject.start([['effect', { name: 'asked' }]])
      const { answer } = await subject.host.question(5_000)
      started.cancel()
      await started.settled(4_000)
      answer(true)
      await pause(500)
      expect(trial.files.readEvents('effect').length === 0, 'it ran although it was cancelled')
      await expectNextCallWorks(subject)
    },
  },
  'two-responses-at-once': {
    hurts: 'Two users of one process: the hanging call of one delays the other.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps', 'quick'], limitMs: 10_000 })
      if (subject.isConversation) return expectNextCallWorks(subject)
      const slow = subject.start([['sleeps', { ms: 3_000 }]])
      const { ms } = await subject.call('quick', { text: 'beside' }, 5_000)
      expect(ms < 2_500, `a quick call took ${Math.round(ms)} ms beside a slow one`)
      await slow.settled()
    },
  },
})

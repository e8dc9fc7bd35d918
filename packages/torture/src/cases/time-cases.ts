import {
  expect,
  expectAtLimit,
  expectCommandTimeout,
  expectError,
  expectNextCallWorks,
  expectNoSecondEnd,
  expectResultForEach,
  expectSuccess,
  expectText,
  expectTimeout,
  until,
} from '../trial/expectations.ts'
import type { Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

/** A tool that does not end by itself has to be ended at its limit, and the next call works. */
const endsAtLimit =
  (tool: string, params: object = {}) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: [tool, 'quick'] })
    const outcome = await subject.call(tool, params)
    expectTimeout(outcome.result)
    expectAtLimit(outcome, subject.limitMs)
    await expectNextCallWorks(subject)
  }

export const timeCases: readonly TortureCase[] = defineGroup('time', {
  'never-returns': {
    hurts: 'The user of an agent that waits for hours for a tool that never answers.',
    issues: ['gemini-cli#3375', 'claude-code#15945', 'claude-code#69487'],
    needs: ['function'],
    run: endsAtLimit('never'),
  },
  'ignores-signal': {
    hurts: 'The user of a tool that was told to stop, and does not.',
    issues: ['gemini-cli#9116'],
    needs: ['function'],
    run: endsAtLimit('ignores-signal'),
  },
  'blocks-event-loop': {
    hurts: 'Everyone in the process: no timer fires while a tool computes, so no limit applies.',
    needs: ['function'],
    run: endsAtLimit('blocks'),
  },
  'blocks-in-slices': {
    hurts: 'Everyone in the process: timers fire late while a tool computes in slices.',
    needs: ['function'],
    run: endsAtLimit('blocks-in-slices'),
  },
  'starves-timers': {
    hurts: 'Everyone in the process: a loop of promises keeps timers from firing, without blocking code.',
    needs: ['function'],
    run: endsAtLimit('starves-timers'),
  },
  'floods-event-loop': {
    hurts: 'Everyone in the process: a loop of immediates competes with every timer.',
    needs: ['function'],
    run: endsAtLimit('floods-event-loop'),
  },
  'waits-synchronously': {
    hurts: 'The user of a tool with a native library that waits for a lock.',
    needs: ['function'],
    run: endsAtLimit('waits-synchronously'),
  },
  'progress-does-not-extend': {
    hurts:
      'The user of a tool that reports progress for ever; a limit that starts anew with each report never ends it.',
    issues: ['opencode#28186'],
    needs: ['function'],
    run: endsAtLimit('progresses'),
  },
  'output-does-not-extend': {
    hurts: 'The user of a tool that writes a line now and then, for ever.',
    needs: ['function'],
    run: endsAtLimit('trickles'),
  },
  'hangs-in-cleanup': {
    hurts: 'The user of a tool that stops when it is told to, but whose cleanup hangs.',
    needs: ['function'],
    run: endsAtLimit('hangs-in-cleanup'),
  },
  'throws-in-abort-listener': {
    hurts: 'Everyone in the process: an exception in a listener of the signal ends it.',
    needs: ['function'],
    run: endsAtLimit('throws-in-listener'),
  },
  'thenable-never-settles': {
    hurts: 'The user of a tool that returns an object that looks like a promise.',
    needs: ['function'],
    run: endsAtLimit('thenable-that-hangs'),
  },
  'generator-never-ends': {
    hurts: 'The user of a tool that yields results without end.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['generates-forever', 'quick'] })
      // A product that does not read generators may reject the call, or return an empty object.
      const { result, ms } = await subject.call('generates-forever')
      if (result.isError && ms >= subject.limitMs - 100) expectTimeout(result)
      await expectNextCallWorks(subject)
    },
  },
  'clock-set-ahead': {
    hurts: 'The user of a laptop that wakes up, or whose clock is corrected: every limit fires at once.',
    needs: ['function'],
    run: endsAtLimit('moves-clock', { hours: 24 }),
  },
  'clock-set-back': {
    hurts: 'The user of a machine whose clock is set back: no limit fires for hours.',
    needs: ['function'],
    run: endsAtLimit('moves-clock', { hours: -24 }),
  },
  'late-result': {
    hurts: 'The model that reads that a call has timed out, and gets its result anyway in the next turn.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-late', 'quick'] })
      const outcome = await subject.call('returns-late', { ms: subject.limitMs + 600 })
      expectTimeout(outcome.result)
      await until(
        () => trial.files.readEvents('ended').length > 0 || subject.host.exit !== null,
        'the tool did not go on',
        3_000,
      ).catch(() => {})
      await expectNextCallWorks(subject)
      expectNoSecondEnd(subject)
    },
  },
  'late-error': {
    hurts:
      'Everyone in the process: a tool fails after its call has timed out, and nobody handles the rejection.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['throws-late', 'quick'] })
      const outcome = await subject.call('throws-late', { ms: subject.limitMs + 600 })
      expectTimeout(outcome.result)
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      await expectNextCallWorks(subject)
      expectNoSecondEnd(subject)
    },
  },
  'just-in-time': {
    hurts: 'The user of a limit that is applied too early: a call that ends within it must succeed.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['sleeps'], limitMs: 3_000 })
      const { result } = await subject.call('sleeps', { ms: 1_500 })
      expectSuccess(result, 'slept 1500 ms')
    },
  },
  'partial-output-is-kept': {
    hurts: 'The model that learns only that a build timed out, and not what it had printed until then.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open()
      const { result } = await subject.command('echo the first half; exec sleep 30')
      expectText(result, 'the first half')
    },
  },
  'tells-the-limit': {
    hurts:
      'The model that cannot tell whether a call was too slow, was rejected or was cancelled, and repeats it.',
    issues: ['gemini-cli#12163'],
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['never'], limitMs: 1_500, isLimitExact: true })
      const { result } = await subject.call('never')
      expectTimeout(result)
      expectText(result, /1[.,]?5(?:00)?\s?(?:s|ms)|1500/)
    },
  },
  'ten-hang-at-once': {
    hurts: 'The user whose ten searches of one response all hang: the limits must not add up.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['never', 'quick'] })
      const started = subject.start(Array.from({ length: 8 }, () => ['never'] as const))
      const settled = await started.settled(subject.limitMs + 5_000)
      expectResultForEach(started, settled)
      for (const result of settled.results) expectTimeout(result)
      await expectNextCallWorks(subject)
    },
  },
  'hang-beside-a-fast-call': {
    hurts: 'The model that gets no result at all, because one of three calls hangs.',
    issues: ['gemini-cli#17067'],
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['never', 'quick'] })
      const started = subject.start([['quick', { text: 'a' }], ['never'], ['quick', { text: 'b' }]])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[0]!, 'quick: a')
      expectTimeout(settled.results[1]!)
      expectSuccess(settled.results[2]!, 'quick: b')
    },
  },
  'block-beside-a-fast-call': {
    hurts: 'The model that gets no result at all, because one of two calls blocks the process.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['blocks', 'quick'] })
      const started = subject.start([['quick', { text: 'a' }], ['blocks']])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      expectSuccess(settled.results[0]!, 'quick: a')
      expectTimeout(settled.results[1]!)
    },
  },
  'deadline-is-inherited': {
    hurts: 'The user of a subagent whose own calls outlive its limit.',
    issues: ['opencode#11865'],
    needs: ['function', 'nesting'],
    async run(trial) {
      const subject = await trial.open({ tools: ['calls-never', 'never', 'quick'] })
      const outcome = await subject.call('calls-never')
      expectError(outcome.result)
      expectAtLimit(outcome, subject.limitMs)
      await expectNextCallWorks(subject)
    },
  },
  'short-limit': {
    hurts: 'The user of a limit of a tenth of a second that is rounded up to seconds.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['never', 'quick'], limitMs: 100, isLimitExact: true })
      // What a first call prepares is not what the case is about.
      await subject.call('quick')
      const outcome = await subject.call('never')
      expectTimeout(outcome.result)
      expect(outcome.ms < 1_000, `a limit of 100 ms ended the call after ${Math.round(outcome.ms)} ms`)
    },
  },
  'command-never-ends': {
    hurts: 'The user whose agent starts a development server, and waits for it to end.',
    issues: ['gemini-cli#12163'],
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open()
      const outcome = await subject.command('exec sleep 3600')
      expectCommandTimeout(outcome.result)
      expectAtLimit(outcome, subject.limitMs)
    },
  },
  'command-writes-for-ever': {
    hurts: 'The user of a limit for silence only: a command that prints a line now and then is never ended.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open()
      const outcome = await subject.command('while :; do echo still here; sleep 0.1; done')
      expectCommandTimeout(outcome.result)
      expectAtLimit(outcome, subject.limitMs)
    },
  },
  'command-reads-input': {
    hurts: 'The user whose agent starts a command that asks a question on its standard input.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open()
      const outcome = await subject.command('read answer; echo "got [$answer]"; cat')
      // An empty input or the limit: both end it.
      expect(outcome.ms < subject.limitMs + 3_000, 'it waited for input')
    },
  },
})

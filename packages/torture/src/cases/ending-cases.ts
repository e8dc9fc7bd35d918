import type { rejectsWith, returnsValue } from '../tools/result-tools.ts'
import {
  expect,
  expectError,
  expectNextCallWorks,
  expectNoSecondEnd,
  expectReadable,
  expectResultForEach,
  expectSuccess,
  expectText,
  expectTimeout,
  until,
} from '../trial/expectations.ts'
import type { Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One success, and nothing after it. */
const succeedsOnce =
  (tool: string, text: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: [tool, 'quick'] })
    const { result } = await subject.call(tool)
    expectSuccess(result, text)
    await pause(300)
    expectNoSecondEnd(subject)
    await expectNextCallWorks(subject)
  }

/** One error, at once, whatever was thrown. */
const failsOnce =
  (how: 'rejects' | 'throws', value: keyof typeof rejectsWith, text?: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: [how, 'quick'], limitMs: 5_000 })
    const { result, ms } = await subject.call(how, { with: value })
    expectError(result, text)
    expect(ms < 4_500, `it took ${Math.round(ms)} ms to report the error`)
    expect(result.length < 10_000_000, `the model would read an error of ${result.length} characters`)
    expect(!/\[object \w+\]/.test(result.text), `the model reads ${result.text.slice(0, 60)}`)
    await expectNextCallWorks(subject)
  }

/** What the model has to read of an error that says something. */
const messages: Readonly<Record<string, string>> = {
  string: 'a string as an error',
  'stack-getter': 'the message',
  'cyclic-cause': 'the message',
  'deep-cause': 'level 19999',
  'null-prototype': 'the message',
}

/** A result, success or error: what matters is that there is one, and that the next call works. */
const settlesOnce =
  (value: keyof typeof returnsValue) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: ['returns', 'quick'], limitMs: 20_000 })
    const { result, ms } = await subject.call('returns', { value })
    expectReadable(result)
    expect(ms < 19_500, `it took ${Math.round(ms)} ms to report the result`)
    expect(!/\[object \w+\]/.test(result.text), `the model reads ${result.text.slice(0, 60)}`)
    expect(result.length <= 2_000_000, `the model would read ${result.length} characters`)
    if (value === 'error-as-value') expectText(result, 'an error that was returned')
    await expectNextCallWorks(subject)
  }

const afterReturn =
  (tool: string) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: [tool, 'quick'] })
    const { result } = await subject.call(tool)
    expectSuccess(result, 'returned')
    await pause(400)
    await expectNextCallWorks(subject)
    expectNoSecondEnd(subject)
  }

export const endingCases: readonly TortureCase[] = defineGroup('ending', {
  'resolves-twice': {
    hurts: 'The model that reads a second result for a call that has ended.',
    needs: ['function'],
    run: succeedsOnce('resolves-twice', 'the first result'),
  },
  'resolves-then-rejects': {
    hurts: 'The model that reads a failure of a call that has succeeded.',
    needs: ['function'],
    run: succeedsOnce('resolves-and-rejects', 'the first result'),
  },
  'resolves-then-throws': {
    hurts: 'The model that reads a failure of a call that has succeeded.',
    needs: ['function'],
    run: succeedsOnce('resolves-and-throws', 'the first result'),
  },
  'rejects-then-resolves': {
    hurts: 'The model that reads a success of a call that has failed.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['rejects-and-resolves', 'quick'] })
      const { result } = await subject.call('rejects-and-resolves')
      expectError(result)
      await pause(300)
      expectNoSecondEnd(subject)
      await expectNextCallWorks(subject)
    },
  },
  'then-getter-throws': {
    hurts: 'The user whose agent ends, because a result has a property that throws.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['then-that-throws', 'quick'] })
      const { result } = await subject.call('then-that-throws')
      expectError(result)
      await expectNextCallWorks(subject)
    },
  },
  'throws-after-return': {
    hurts: 'Everyone in the process: a tool throws in a timer after its call has ended.',
    needs: ['function'],
    run: afterReturn('throws-after-return'),
  },
  'rejects-after-return': {
    hurts: 'Everyone in the process: a tool leaves a rejection that nobody handles.',
    needs: ['function'],
    run: afterReturn('rejects-after-return'),
  },
  'emits-error-after-return': {
    hurts: 'Everyone in the process: a connection of a tool reports an error after its call has ended.',
    needs: ['function'],
    run: afterReturn('emits-error-after-return'),
  },
  'reports-after-return': {
    hurts: 'The screen that shows output of a call that has ended, or the process that fails because of it.',
    needs: ['function'],
    run: afterReturn('reports-after-return'),
  },
  'settles-after-cancel': {
    hurts: 'The user who cancels a call, and sees it succeed afterwards.',
    issues: ['codex#42717', 'codex#27758'],
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['settles-when-aborted', 'quick'], limitMs: 10_000 })
      const started = subject.start([['settles-when-aborted', { ms: 1_500 }]])
      await until(() => trial.files.readEvents('started').length > 0, 'the tool did not start')
      started.cancel()
      const { results } = await started.settled(3_000)
      for (const result of results) expectError(result)
      await pause(1_800)
      expectNoSecondEnd(subject)
      await expectNextCallWorks(subject)
    },
  },
  'cancel-of-a-deaf-tool': {
    hurts: 'The user who presses Esc, and waits for the tool nevertheless.',
    issues: ['gemini-cli#9116', 'codex#42717'],
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['never', 'quick'], limitMs: 60_000 })
      const started = subject.start([['never']])
      await until(() => trial.files.readEvents('started').length > 0, 'the tool did not start')
      started.cancel()
      const { results } = await started.settled(3_000)
      for (const result of results) expectError(result)
      await expectNextCallWorks(subject)
    },
  },
  'cancel-of-a-blocking-tool': {
    hurts: 'The user who presses Esc while a tool computes; the key is not even read.',
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['blocks', 'quick'], limitMs: 60_000 })
      const started = subject.start([['blocks']])
      await until(() => trial.files.readEvents('started').length > 0, 'the tool did not start')
      started.cancel()
      await started.settled(4_000)
      await expectNextCallWorks(subject)
    },
  },
  'cancel-at-the-limit': {
    hurts: 'The caller that gets two outcomes, because two causes come at the same moment.',
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['ignores-signal', 'quick'] })
      const started = subject.start([['ignores-signal']])
      setTimeout(() => started.cancel(), subject.limitMs)
      const { results } = await started.settled()
      for (const result of results) expectError(result)
      await pause(500)
      expectNoSecondEnd(subject)
      await expectNextCallWorks(subject)
    },
  },
  'cancel-after-the-end': {
    hurts: 'The user whose cancel hits the next call, because the one that was meant has ended.',
    needs: ['function', 'cancel'],
    async run(trial) {
      const subject = await trial.open({ tools: ['quick', 'sleeps'], limitMs: 5_000 })
      const first = subject.start([['quick']])
      await first.settled()
      first.cancel()
      const { result } = await subject.call('sleeps', { ms: 300 })
      expectSuccess(result, 'slept 300 ms')
      expectNoSecondEnd(subject)
    },
  },
  'abort-error-without-cancel': {
    hurts: 'The model that reads that the user cancelled, although a fetch inside the tool was aborted.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['rejects', 'quick'], limitMs: 5_000 })
      const { result } = await subject.call('rejects', { with: 'abort-error' })
      expectError(result)
      expect(
        !/by the user|user (?:has )?(?:cancel|abort)/i.test(result.text),
        `the model reads ${result.text.slice(0, 100)}`,
      )
      await expectNextCallWorks(subject)
    },
  },
  'result-changes-after-return': {
    hurts: 'The journal that shows another result than the model read.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['changes-result', 'quick'] })
      const { result } = await subject.call('changes-result')
      expectSuccess(result, 'as returned')
      await expectNextCallWorks(subject)
    },
  },
  'tool-changes-its-arguments': {
    hurts: 'The conversation whose history has other arguments than the model wrote.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['changes-params', 'quick'] })
      const { result } = await subject.call('changes-params', { text: 'original' })
      expectSuccess(result, 'changed')
      await expectNextCallWorks(subject)
    },
  },
  'tool-breaks-globals': {
    hurts: 'Everyone in the process: a tool replaces a global for a moment.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['changes-globals', 'quick'], limitMs: 3_000 })
      const started = subject.start([['changes-globals']])
      const settled = await started.settled()
      expectResultForEach(started, settled)
      const beside = await subject.call('quick', { text: 'beside' })
      expectSuccess(beside.result, 'quick: beside')
      await pause(1_200)
      await expectNextCallWorks(subject)
    },
  },
  'never-runs-twice': {
    hurts: 'The user whose payment is made twice, because a failure was taken for a reason to repeat it.',
    issues: ['agent-framework#3938', 'crewAI#5802'],
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['fails-once', 'quick'], limitMs: 5_000 })
      const { result } = await subject.call('fails-once')
      const times = trial.files.readEvents('effect').length
      expect(times === 1, `the tool ran ${times} times`)
      expectError(result)
    },
  },
  'never-runs-twice-after-a-timeout': {
    hurts: 'The user whose payment is made twice, because it was slow.',
    issues: ['agent-framework#3938'],
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['slow-effect', 'quick'] })
      const { result } = await subject.call('slow-effect', { name: 'payment', ms: subject.limitMs + 500 })
      expectTimeout(result)
      await pause(1_500)
      const times = trial.files.readEvents('effect').length
      expect(times === 1, `the tool ran ${times} times`)
    },
  },
  ...Object.fromEntries(
    Object.entries({
      undefined: 'A tool rejects with undefined, and reading `error.message` ends the agent.',
      null: 'A tool rejects with null, and reading `error.message` ends the agent.',
      string: 'A tool rejects with a string, and the model reads an empty message.',
      symbol: 'A tool rejects with a symbol, which cannot be converted to a string implicitly.',
      function: 'A tool rejects with a function.',
      'message-getter': 'The message of an error throws when it is read.',
      'stack-getter': 'The stack of an error throws when it is read.',
      'cyclic-cause': 'An error is its own cause, and following the chain never ends.',
      'deep-cause': 'An error has twenty thousand causes, and following them overflows the stack.',
      'huge-message': 'An error has a message of 50 MB, which fills the context.',
      'null-prototype': 'An error has no prototype.',
      proxy: 'An error throws whatever is done with it.',
      'not-a-string-message': 'The message of an error is an object.',
    }).map(([value, hurts]) => [
      `rejects-with-${value}`,
      { hurts, needs: ['function'], run: failsOnce('rejects', value, messages[value]) } as const,
    ]),
  ),
  'throws-undefined-synchronously': {
    hurts: 'A tool throws undefined before it returns a promise.',
    needs: ['function'],
    run: failsOnce('throws', 'undefined'),
  },
  ...Object.fromEntries(
    Object.entries({
      undefined: 'A tool returns nothing, and the request to the provider has no content.',
      bigint: 'A tool returns a number that JSON does not have.',
      symbol: 'A tool returns a symbol.',
      function: 'A tool returns a function.',
      cyclic: 'A tool returns an object that contains itself.',
      'to-json-throws': 'A tool returns an object whose conversion to JSON throws.',
      'getter-throws': 'A tool returns an object with a property that throws.',
      proxy: 'A tool returns an object that throws whatever is done with it.',
      'revoked-proxy': 'A tool returns an object with a revoked proxy.',
      deep: 'A tool returns an object with a hundred thousand levels.',
      wide: 'A tool returns an object with 300,000 keys.',
      'map-and-date': 'A tool returns a map and an invalid date.',
      'sparse-array': 'A tool returns an array with two billion holes.',
      'error-as-value': 'A tool returns an error instead of throwing it.',
    }).map(([value, hurts]) => [
      `returns-${value}`,
      { hurts, needs: ['function'], run: settlesOnce(value) } as const,
    ]),
  ),
})

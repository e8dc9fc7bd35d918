import {
  expect,
  expectNextCallWorks,
  expectReadable,
  expectSuccess,
  expectText,
  expectTimeout,
  expectValidConversation,
  MemoryWatch,
} from '../trial/expectations.ts'
import type { Subject } from '../trial/subject.ts'
import type { Trial } from '../trial/trial.ts'
import { defineGroup, type TortureCase } from './torture-case.ts'

/** More than any context holds in one result. */
const maxCharacters = 2_000_000

/** A text that something on the way may stumble over: it arrives, and the conversation goes on. */
const textArrives =
  (text: string, expected: string | RegExp | null = /before[\s\S]*after/) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: ['returns-special-text', 'quick'], limitMs: 10_000 })
    const { result } = await subject.call('returns-special-text', { text })
    expectReadable(result)
    if (expected !== null) expectText(result, expected)
    expect(!result.text.includes('\0'), 'the model would read NUL characters')
    await expectNextCallWorks(subject)
  }

/** Texts that are too long for a model: they are cut, and memory stays bounded. */
const textIsCut =
  (...texts: readonly string[]) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ tools: ['returns-special-text', 'quick'], limitMs: 10_000 })
    for (const text of texts) await isCut(subject, text)
    await expectNextCallWorks(subject)
  }

async function isCut(subject: Subject, text: string): Promise<void> {
  const { result } = await subject.call('returns-special-text', { text })
  expectReadable(result)
  expect(result.length <= maxCharacters, `the model would read ${result.length} characters`)
}

/** A command that writes without end: it is ended at its limit, and what was written is bounded everywhere. */
const endlessCommand =
  (command: string, megabytes: number) =>
  async (trial: Trial): Promise<void> => {
    const subject = await trial.open({ limitMs: 2_000 })
    const memory = await MemoryWatch.start(trial, subject, () => subject.command('echo warm'))
    const { result, ms } = await subject.command(command, subject.limitMs + 6_000)
    expect(ms < subject.limitMs + 5_500, `it returned after ${Math.round(ms)} ms`)
    expectReadable(result)
    expect(result.length <= maxCharacters, `the model would read ${result.length} characters`)
    memory.expectBelow(megabytes)
    const next = await subject.command('echo it still works')
    expectText(next.result, 'it still works')
  }

export const outputCases: readonly TortureCase[] = defineGroup('output', {
  'endless-output': {
    hurts: 'The user whose agent takes 1.4 GB for `yes`.',
    needs: ['command'],
    heavy: true,
    run: endlessCommand('exec yes', 150),
  },
  'endless-output-without-newline': {
    hurts: 'The user of a command that prints one endless line; whoever reads lines keeps all of it.',
    needs: ['command'],
    heavy: true,
    run: endlessCommand('exec tr "\\0" x </dev/zero', 150),
  },
  'endless-errors': {
    hurts: 'The user of a command that floods its standard error.',
    needs: ['command'],
    heavy: true,
    run: endlessCommand('exec yes >&2', 150),
  },
  'endless-binary': {
    hurts: 'The user whose agent reads a device.',
    needs: ['command'],
    heavy: true,
    run: endlessCommand('exec cat /dev/urandom', 150),
  },
  'one-gigabyte': {
    hurts: 'The user of a command that prints a gigabyte and succeeds.',
    needs: ['command'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ limitMs: 30_000 })
      const memory = await MemoryWatch.start(trial, subject, () => subject.command('echo warm'))
      const { result } = await subject.command(
        'head -c 1073741824 /dev/zero | tr "\\0" x; echo; echo the last line',
        40_000,
      )
      expectReadable(result)
      expect(result.length <= maxCharacters, `the model would read ${result.length} characters`)
      memory.expectBelow(150)
    },
  },
  'the-end-is-kept': {
    hurts: 'The model that reads the beginning of a log, and never the error at its end.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open({ limitMs: 10_000 })
      const { result } = await subject.command('echo the first line; seq 1 1000000; echo the last line')
      expectText(result, 'the first line')
      expectText(result, 'the last line')
    },
  },
  'tells-that-it-was-cut': {
    hurts: 'The model that takes a part for the whole.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open({ limitMs: 10_000 })
      const { result } = await subject.command('seq 1 3000000')
      expect(result.length <= maxCharacters, `the model would read ${result.length} characters`)
      expectText(result, /truncat|omitted|cut|\bmore\b|skipped|too (?:long|large)|\.\.\.|…|bytes/i)
    },
  },
  'invalid-utf8': {
    hurts: 'The user whose conversation is rejected by the provider after `cat` of a binary file.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open({ limitMs: 5_000 })
      const { result } = await subject.command("printf 'before \\377\\376\\303 after'")
      expectReadable(result)
      expectText(result, /before[\s\S]*after/)
      expectValidConversation(subject)
    },
  },
  'split-characters': {
    hurts: 'The model that reads replacement characters where output was read in two pieces.',
    needs: ['command'],
    async run(trial) {
      const subject = await trial.open({ limitMs: 5_000 })
      const { result } = await subject.command(
        "printf 'a\\303'; sleep 0.2; printf '\\244b\\360\\237'; sleep 0.2; printf '\\231\\202c'",
      )
      expectText(result, 'aäb🙂c')
    },
  },
  'a-million-chunks': {
    hurts: 'The user whose screen freezes, because a tool reports each line on its own.',
    needs: ['function'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ tools: ['outputs-chunks', 'quick'], limitMs: 25_000 })
      const { result } = await subject.call('outputs-chunks', { count: 1_000_000, size: 20 })
      expectSuccess(result, 'all was written')
      await expectNextCallWorks(subject)
    },
  },
  'output-without-end': {
    hurts: 'Everyone in the process: a tool reports output faster than anything can take it.',
    needs: ['function'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ tools: ['outputs-forever', 'quick'], limitMs: 4_000 })
      const memory = await MemoryWatch.start(trial, subject, () => subject.call('quick'))
      const { result } = await subject.call('outputs-forever')
      expectTimeout(result)
      memory.expectBelow(400)
      await expectNextCallWorks(subject)
    },
  },
  'output-in-half-characters': {
    hurts: 'The conversation that is rejected, because output was cut within a character.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['outputs-halves', 'quick'] })
      const { result } = await subject.call('outputs-halves')
      expectSuccess(result, 'done')
      await expectNextCallWorks(subject)
    },
  },
  'huge-result': {
    hurts: 'The user whose context is full after one call, for ever.',
    needs: ['function'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-text', 'quick'], limitMs: 20_000 })
      const { result } = await subject.call('returns-text', { bytes: 50_000_000 })
      expectReadable(result)
      expect(result.length <= maxCharacters, `the model would read ${result.length} characters`)
      await expectNextCallWorks(subject)
    },
  },
  'result-beyond-any-string': {
    hurts: 'Everyone in the process: a result is longer than a string can be.',
    needs: ['function'],
    heavy: true,
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-texts', 'quick'], limitMs: 20_000 })
      const { result } = await subject.call('returns-texts', { count: 12, bytes: 50_000_000 })
      expectReadable(result)
      expect(result.length <= maxCharacters, `the model would read ${result.length} characters`)
      await expectNextCallWorks(subject)
    },
  },
  'many-large-results': {
    hurts: 'The user whose twenty searches of one response return a megabyte each.',
    needs: ['function', 'batch'],
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-text', 'quick'], limitMs: 20_000 })
      const started = subject.start(
        Array.from({ length: 20 }, () => ['returns-text', { bytes: 1_000_000 }] as const),
      )
      const { results } = await started.settled()
      const total = results.reduce((sum, { length }) => sum + length, 0)
      expect(results.length === 20, `expected 20 results, got ${results.length}`)
      expect(total <= 4_000_000, `the model would read ${total} characters`)
      await expectNextCallWorks(subject)
    },
  },
  'lone-surrogate': {
    hurts: 'The user whose every further request is rejected, because a result has half of an emoji.',
    issues: ['opencode#14630', 'claude-code#6273'],
    needs: ['function'],
    run: textArrives('lone-surrogate'),
  },
  'emoji-at-the-cut': {
    hurts: 'The user whose every further request is rejected, because a result was cut within an emoji.',
    needs: ['function'],
    // Wherever a product cuts, one of them has the middle of an emoji there.
    run: textIsCut('emojis', 'shifted-emojis'),
  },
  nul: {
    hurts: 'The user whose conversation cannot be stored, because a result has a NUL.',
    needs: ['function'],
    run: textArrives('nul'),
  },
  'control-sequences': {
    hurts:
      'The user whose terminal is cleared, or whose clipboard is replaced, by a file that the agent read.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-special-text', 'quick'], limitMs: 10_000 })
      const { result } = await subject.call('returns-special-text', { text: 'controls' })
      expectReadable(result)
      expectText(result, /before[\s\S]*after/)
      await expectNextCallWorks(subject)
      const { stdout, stderr } = subject.host
      expect(
        !['\u001b[2J', '\u001b]52', '\u009b31m'].some((sequence) => (stdout + stderr).includes(sequence)),
        'its own output has control sequences of the result',
      )
    },
  },
  'line-separators': {
    hurts: 'The program that reads a stream of lines, and takes U+2028 for the end of one.',
    needs: ['function'],
    run: textArrives('line-separators'),
  },
  'one-line-of-five-megabytes': {
    hurts: 'The user of a minified file; whoever cuts at lines cuts nothing.',
    needs: ['function'],
    run: textIsCut('one-line'),
  },
  'a-million-lines': {
    hurts: 'The user of a long log.',
    needs: ['function'],
    run: textIsCut('many-lines'),
  },
  'empty-result': {
    hurts: 'The user whose every further request is rejected, because a result is empty.',
    issues: ['pi#3311'],
    needs: ['function'],
    run: textArrives('empty', null),
  },
  'blank-result': {
    hurts: 'The user whose every further request is rejected, because a result is blank.',
    needs: ['function'],
    run: textArrives('blank', null),
  },
  'looks-like-a-response': {
    hurts: 'The product that takes a result for calls of the model.',
    needs: ['function'],
    run: textArrives('looks-like-json', 'tool_calls'),
  },
  binary: {
    hurts: 'The model that reads `[object Uint8Array]`, or a list of numbers without end.',
    needs: ['function'],
    async run(trial) {
      const subject = await trial.open({ tools: ['returns-binary', 'quick'], limitMs: 5_000 })
      const { result } = await subject.call('returns-binary')
      expectReadable(result)
      expect(!/\[object \w+\]/.test(result.text), `the model reads ${result.text.slice(0, 60)}`)
      expect(
        !/(?:\d{1,3}\D{1,4}){200}/.test(result.text),
        `the model reads a list of numbers: ${result.text.slice(0, 60)}`,
      )
      await expectNextCallWorks(subject)
    },
  },
})

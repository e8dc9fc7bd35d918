import type { SentResult } from '../host/messages.ts'
import { commandLine, type Process, peakMegabytes } from '../observe/processes.ts'
import { monotonicMs } from '../tools/record-event.ts'
import { Failed } from './failed.ts'
import type { Settled } from './host-process.ts'
import { marginMs, type Started, type Subject } from './subject.ts'
import type { Trial } from './trial.ts'

const quote = (text: string): string => {
  const line = text.slice(0, 160).replaceAll(/\s+/g, ' ').trim()
  return JSON.stringify(text.length > 160 ? `${line} ...` : line)
}

export function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Failed(otherwise)
}

/** A result that the model can use: the tool did it. */
export function expectSuccess(result: SentResult, text?: string | RegExp): void {
  expectReadable(result)
  expect(!result.isError, `expected a success, got the error ${quote(result.text)}`)
  if (text !== undefined) expectText(result, text)
}

/** A result that tells the model that the tool did not do it. */
export function expectError(result: SentResult, text?: string | RegExp): void {
  expectReadable(result)
  expect(result.isError, `expected an error, got the success ${quote(result.text)}`)
  expect(result.text.trim() !== '', 'the error is empty, so the model learns nothing')
  if (text !== undefined) expectText(result, text)
}

export function expectText({ text }: SentResult, expected: string | RegExp): void {
  const found = typeof expected === 'string' ? text.includes(expected) : expected.test(text)
  expect(found, `expected the model to read ${String(expected)}, got ${quote(text)}`)
}

/** A string without what providers reject. */
export function expectReadable(result: SentResult | undefined): asserts result is SentResult {
  expect(result !== undefined, 'there is no result')
  const { problem, text } = result
  expect(problem === null, problem ?? '')
  expect(text.isWellFormed(), 'the text has half of a character, which providers reject')
}

/** What tells that a call ran out of time. */
const timedOut =
  /time|deadline|limit|took too long|no (?:response|answer)|did not (?:respond|finish|return|answer)/i

/** The model learns that the call ran out of time. */
export function expectTimeout(result: SentResult): void {
  expectError(result, timedOut)
}

/** The model learns that the command ran out of time. With what it printed until then, that may be a success. */
export function expectCommandTimeout(result: SentResult): void {
  expectReadable(result)
  expectText(
    result,
    /timed[\s_-]?out(?!\\?"?:\s*false)|time-?out|time limit|deadline|took too long|exceeded/i,
  )
}

/** Not before the limit, and not much later. */
export function expectAtLimit({ ms }: { readonly ms: number }, limitMs: number): void {
  expect(ms >= limitMs - 100, `it settled after ${Math.round(ms)} ms, before its limit of ${limitMs} ms`)
  expect(ms <= limitMs + marginMs, `it settled after ${Math.round(ms)} ms; its limit is ${limitMs} ms`)
}

/** One result for each call, in the order of the calls. */
export function expectResultForEach({ calls }: Started, { results, rejected }: Settled): void {
  expect(rejected === null, `no results; the product rejected with ${rejected}`)
  const got = results.map(({ id }) => id)
  const wanted = calls.map(({ id }) => id)
  expect(
    got.join() === wanted.join(),
    `expected results for ${wanted.join(', ')}, got ${got.join(', ') || 'none'}`,
  )
}

/** The process is alive, and a call works. */
export async function expectNextCallWorks(subject: Subject): Promise<void> {
  await expectWorks(subject, 'quick', { text: 'next' }, 'quick: next')
  expectValidConversation(subject)
}

/** How long it may take until a server that hangs or has ended is replaced. */
const recoversWithinMs = 15_000

/**
 * A call that works. Where a server runs it, calls may fail until the server has been replaced, because the limits of the cases are
 * much shorter than those of real users, and of the same order as the time in which a program starts.
 */
export async function expectWorks(
  subject: Subject,
  tool: string,
  params: object,
  text: string,
): Promise<void> {
  const endMs = monotonicMs() + recoversWithinMs
  for (;;) {
    expect(subject.host.exit === null, `the process ended: ${subject.host.describeExit()}`)
    const { result } = await subject.call(tool, params, 8_000)
    if (!result.isError || !subject.hasServer || monotonicMs() > endMs) return expectSuccess(result, text)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** What providers reject ends the conversation for good. */
export function expectValidConversation({ model }: Subject): void {
  const problems = model?.problems ?? []
  expect(problems.length === 0, `the provider rejects the conversation: ${problems[0]}`)
}

/** The product tells at most once that a call has ended. */
export function expectNoSecondEnd({ host: { ended } }: Subject): void {
  const again = ended.find((id, index) => ended.indexOf(id) < index)
  expect(again === undefined, `the call ${again} ended twice`)
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean, otherwise: string, withinMs = 10_000): Promise<void> {
  const endMs = monotonicMs() + withinMs
  while (!condition()) {
    if (monotonicMs() > endMs) throw new Failed(otherwise)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** How long a process that was killed may take until it is gone. */
const goneWithinMs = 1_500

/** Nothing that a command started is running. */
export async function expectNothingLeft({ files }: Trial): Promise<void> {
  const endMs = monotonicMs() + goneWithinMs
  let left = files.survivors()
  while (left.length > 0 && monotonicMs() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    left = files.survivors()
  }
  if (left.length > 0) throw new Failed(`still running: ${describe(left)}`)
  await expectNoNewProcesses(files)
}

/** A process that lives for a moment only is in no list, but its successors enrol. */
async function expectNoNewProcesses(files: Trial['files']): Promise<void> {
  const before = files.enrolled().length
  await new Promise((resolve) => setTimeout(resolve, 300))
  const started = files.enrolled().length - before
  expect(started === 0, `still running: ${started} processes have started since`)
}

function describe(processes: readonly Process[]): string {
  const [first] = processes
  return `${processes.length} process${processes.length > 1 ? 'es' : ''}, such as ${commandLine(first!).slice(0, 80)}`
}

/**
 * Growth of the memory of the product, with all its processes. They may be other ones in each call, so their peaks are read while calls
 * run, also while the product warms up.
 */
export class MemoryWatch {
  readonly #trial: Trial
  readonly #subject: Subject
  #peak = 0
  #before = 0

  private constructor(trial: Trial, subject: Subject) {
    this.#trial = trial
    this.#subject = subject
    const timer = setInterval(() => {
      if (subject.host.exit === null) this.#read()
      else clearInterval(timer)
    }, 150)
  }

  /** What the product needs for an ordinary call does not count. */
  static async start(trial: Trial, subject: Subject, warmUp: () => Promise<unknown>): Promise<MemoryWatch> {
    const watch = new MemoryWatch(trial, subject)
    await warmUp()
    watch.#before = watch.#read()
    return watch
  }

  expectBelow(megabytes: number): void {
    const growth = Math.round(this.#read() - this.#before)
    this.#trial.note('memory', { growth })
    expect(growth <= megabytes, `its memory grew by ${growth} MB; at most ${megabytes} MB are expected`)
  }

  /** Without the servers of the suite. */
  #read(): number {
    const { host } = this.#subject
    const now = [{ pid: host.pid }, ...this.#trial.belongingTo(host)]
      .filter(({ pid }) => !/torture.*mcp-server-main/.test(commandLine({ pid, startTime: '' })))
      .reduce((sum, { pid }) => sum + peakMegabytes(pid), 0)
    this.#peak = Math.max(this.#peak, now)
    return this.#peak
  }
}

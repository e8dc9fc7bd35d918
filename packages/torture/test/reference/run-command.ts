import { once } from 'node:events'
import { CollectedOutput } from './collected-output.ts'
import { kill, startContained } from './contained.ts'
import { isMutant } from './mutation.ts'
import { failure, type Outcome, success } from './outcome.ts'

/** How long an ended command may hold its output, and how long a killed one may take. */
const graceMs = 500

/** Runs a shell command until its end, its limit or the cancel, and leaves no process behind. */
export async function runCommand(command: string, limitMs: number, signal: AbortSignal): Promise<Outcome> {
  const child = startContained('sh', ['-c', command], 'ignore')
  const output = new CollectedOutput()
  const clock = createClock(limitMs)
  for (const stream of [child.stdout!, child.stderr!]) {
    if (stream === child.stderr && isMutant('reads-no-errors')) stream.resume()
    else
      stream.on('data', (chunk: Buffer) => {
        output.add(chunk)
        if (isMutant('limit-for-silence')) clock.restart()
      })
  }
  const closed = once(child, 'close')
  const exited = isMutant('end-of-output-is-the-end')
    ? Promise.all([once(child.stdout!, 'end'), once(child.stderr!, 'end')]).then(() => [0])
    : isMutant('waits-for-pipes')
      ? closed
      : once(child, 'exit')
  const cancelled = once(signal, 'abort')
  const first = await Promise.race([
    exited.then(([code, by]) => ({ end: 'exit', code: code ?? by }) as const),
    clock.over.then(() => ({ end: 'limit' }) as const),
    ...(isMutant('cancel-spares-commands') ? [] : [cancelled.then(() => ({ end: 'cancel' }) as const)]),
  ])
  clock.stop()
  if (first.end !== 'exit') kill(child)
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, graceMs))])
  for (const stream of [child.stdout!, child.stderr!]) stream.destroy()
  const text = output.toString()
  const written =
    text === '' || isMutant('drops-partial-output') ? '' : `\nIt had written until then:\n${text}`
  if (isMutant('command-cap-too-high')) return { text, isError: first.end !== 'exit' }
  if (first.end === 'cancel') return failure(`the command was cancelled${written}`)
  if (first.end === 'limit') return failure(`the command timed out after ${limitMs} ms${written}`)
  if (first.code === 0 || isMutant('drops-exit-code')) return success(text)
  return failure(`${text}\n[exit code ${first.code}]`)
}

function createClock(limitMs: number): { readonly over: Promise<void>; restart(): void; stop(): void } {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const restart = (): void => {
    clearTimeout(timer)
    if (!isMutant('commands-have-no-limit', 'commands-wait-for-input')) timer = setTimeout(resolve, limitMs)
  }
  restart()
  return { over, restart, stop: () => clearTimeout(timer) }
}

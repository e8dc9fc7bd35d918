import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ListProcessesOptions, type RunningProcess, watchProcesses } from '@curfew/journal'
import { spinnerAt } from '../live/live-call-lines.ts'
import { liveTheme } from '../live/live-theme.ts'
import { showLiveRows } from '../live/show-live-rows.ts'
import { stopTogether } from '../stop-together.ts'
import { outputClosed, outputDrained, write } from '../write.ts'
import { processLines } from './process-lines.ts'

/** Without a terminal, nothing is printed more often. */
const printMs = 1_000

/** `curfew ps --watch`: until Ctrl-C, or until nobody reads the output. */
export async function watchPs(
  options: ListProcessesOptions,
  { all, json }: { readonly all: boolean; readonly json: boolean },
  describe: (processes: readonly RunningProcess[]) => string,
): Promise<number> {
  // A terminal without control sequences cannot erase lines.
  const isDrawn = process.stdout.isTTY && !json && process.env.TERM !== 'dumb'
  return isDrawn ? await draw(options, all) : await print(options, json, describe)
}

async function draw(options: ListProcessesOptions, hasProjects: boolean): Promise<number> {
  const { stdout } = process
  let warn = options.warn ?? (() => {})
  const watch = await watchProcesses({ ...options, warn: (message) => warn(message) }, () => {})
  const theme = liveTheme(stdout)
  const rows = showLiveRows({
    stream: stdout,
    load: async () => ({
      draw: ({ width, height, now }) => {
        const lines = processLines(watch.current(), {
          width,
          height,
          now,
          theme,
          spinner: spinnerAt(now),
          hasProjects,
        })
        return lines.length === 0 ? [theme.muted('nothing is running')] : lines
      },
    }),
  })
  const { warn: report = () => {} } = options
  warn = (message) => rows.print(() => report(message))
  const stopListening = stopTogether(() => rows.suspend())
  await once(outputClosed, 'abort')
  stopListening()
  rows.stop()
  watch.close()
  return 0
}

/** Prints the list when a call starts, ends or changes its state; with `json`, also after output and progress. */
async function print(
  options: ListProcessesOptions,
  json: boolean,
  describe: (processes: readonly RunningProcess[]) => string,
): Promise<number> {
  let wake = (): void => {}
  const watch = await watchProcesses(options, () => wake())
  let printed: string | null = null
  while (!outputClosed.aborted) {
    const processes = watch.current()
    const key = json ? detailedKey(processes) : stateKey(processes)
    if (key !== printed) {
      const separator = printed === null || json ? '' : '\n'
      printed = key
      if (!write(separator + describe(processes))) await outputDrained(outputClosed)
      await sleep(printMs, undefined, { signal: outputClosed }).catch(() => {})
      continue
    }
    await new Promise<void>((resolve) => {
      wake = resolve
      outputClosed.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  watch.close()
  return 0
}

function stateKey(processes: readonly RunningProcess[]): string {
  return JSON.stringify(
    processes.map(({ run, contact, calls, omitted }) => [
      run,
      contact,
      omitted,
      calls.map(({ id, status, paused }) => [id, status, paused]),
    ]),
  )
}

/** All but the times, which always change. */
function detailedKey(processes: readonly RunningProcess[]): string {
  return JSON.stringify(processes, (key, value: unknown) =>
    ['elapsedMs', 'updatedAt', 'activeAt'].includes(key) ? undefined : value,
  )
}

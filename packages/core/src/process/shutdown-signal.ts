import { constants } from 'node:os'

/** The signal that the commands of a killed process get before SIGKILL, and how long they have to end. */
export interface ShutdownSignal {
  readonly signal: NodeJS.Signals | number
  readonly killAfterMs: number
}

let shutdownSignal: ShutdownSignal | null = null

/** Applies to running and future commands. Without it, they get SIGKILL immediately. */
export function setShutdownSignal(signal: ShutdownSignal): void {
  shutdownSignal = signal
}

/** For the watchdog: the signal number, and how many hundredths of a second to wait. */
export function shutdownSignalEnvironment(): Record<string, string> {
  if (shutdownSignal === null) return {}
  const { signal, killAfterMs } = shutdownSignal
  const number = typeof signal === 'number' ? signal : constants.signals[signal]
  if (number === 0 || number === constants.signals.SIGKILL) return {}
  return { SHUTDOWN_SIGNAL: String(number), SHUTDOWN_CENTISECONDS: String(Math.ceil(killAfterMs / 10)) }
}

/**
 * Part of the watchdog's script. `members` prints the pids of everything that the commands left running; the commands of a
 * nested `curfew` carry another marker and get its signal (see `sendSignal`). A scan may take longer than the wait, so
 * the time is read from /proc/uptime, which has two decimals.
 */
export const shutdownSignalScript = `
if [ -n "$SHUTDOWN_SIGNAL" ]; then
  end=$(($(uptime) + SHUTDOWN_CENTISECONDS))
  [ -z "$cgroup" ] && kill -s STOP -- $(related)
  pids=$(members | grep -v -e - | grep -vxF "$(grep -lse "$nested" $(paths environ) | cut -d/ -f3)")
  kill "-$SHUTDOWN_SIGNAL" $pids
  kill -s CONT -- $(members)
  while [ -n "$(members)" ] && [ "$(uptime)" -lt "$end" ]; do sleep 0.1; done
fi
`

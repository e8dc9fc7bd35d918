import { constants } from 'node:os'

/** What the commands of a killed process are sent before SIGKILL, and how long they get to end. */
export interface Farewell {
  readonly signal: NodeJS.Signals | number
  readonly killAfterMs: number
}

let farewell: Farewell | null = null

/** For commands that are started from now on, and those that still run. Without it SIGKILL follows at once. */
export function setFarewell(chosen: Farewell): void {
  farewell = chosen
}

/** Tells the watchdog: the signal by number, and how many hundredths of a second to wait. */
export function farewellEnvironment(): Record<string, string> {
  if (farewell === null) return {}
  const { signal, killAfterMs } = farewell
  const number = typeof signal === 'number' ? signal : constants.signals[signal]
  if (number === 0 || number === constants.signals.SIGKILL) return {}
  return { FAREWELL_SIGNAL: String(number), FAREWELL_HUNDREDTHS: String(Math.ceil(killAfterMs / 10)) }
}

/**
 * The watchdog's part of it. `members` prints the pids of everything that the commands left running; what a nested `curfew`
 * holds carries another marker, and gets what that one chose for it (see `sendSignal`). It may take longer to look than to
 * wait, so the time is read from the clock: /proc/uptime has two decimals.
 */
export const farewellScript = `
uptime() { read -r up _ < /proc/uptime; echo "\${up%.*}\${up#*.}"; }
if [ -n "$FAREWELL_SIGNAL" ]; then
  end=$(($(uptime) + FAREWELL_HUNDREDTHS))
  nested=$(grep -lsF "\${marker%%=*}=" /proc/[0-9]*/environ | xargs -r grep -LsF "$marker" | cut -d/ -f3)
  pids=$(members | sort -u | grep -vxF "$nested")
  kill "-$FAREWELL_SIGNAL" $pids
  kill -CONT $pids
  while [ -n "$(members)" ] && [ "$(uptime)" -lt "$end" ]; do sleep 0.1; done
fi
`

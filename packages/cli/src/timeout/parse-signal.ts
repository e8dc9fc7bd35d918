import { constants } from 'node:os'

/** The number of a signal given by name (`TERM`, `SIGTERM`, `term`) or number (including 0); `null` if it does not exist. */
export function parseSignal(value: string): number | null {
  if (/^\d+$/.test(value)) {
    const number = Number(value)
    return number <= 64 ? number : null
  }
  const name = value.toUpperCase().replace(/^SIG/, '')
  const number = constants.signals[`SIG${name}` as NodeJS.Signals]
  return number ?? (name === 'EXIT' ? 0 : parseRealTime(name))
}

/** Real-time signals such as `RTMIN`, `RTMIN+3` and `RTMAX-1`, which Node has no names for. */
function parseRealTime(name: string): number | null {
  const match = process.platform === 'linux' ? /^(RTMIN|RTMAX)([+-]\d+)?$/.exec(name) : null
  if (match === null) return null
  const number = (match[1] === 'RTMIN' ? firstRealTime : lastRealTime) + Number(match[2] ?? 0)
  return number >= firstRealTime && number <= lastRealTime ? number : null
}

/** As in glibc, which reserves 32 and 33. */
const firstRealTime = 34
const lastRealTime = 64

/** `TERM` for 15; the number itself for 0 and for signals without a name. */
export function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, value]) => value === number)
  return known === undefined ? String(number) : known[0].slice(3)
}

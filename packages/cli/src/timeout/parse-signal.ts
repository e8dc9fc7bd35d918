import { constants } from 'node:os'

/** By name (`TERM`, `SIGTERM`, `term`) or number (0 included), as its number; `null` if there is none. */
export function parseSignal(text: string): number | null {
  if (/^\d+$/.test(text)) {
    const number = Number(text)
    return number <= 64 ? number : null
  }
  const name = text.toUpperCase().replace(/^SIG/, '')
  const number = constants.signals[`SIG${name}` as NodeJS.Signals]
  return number ?? (name === 'EXIT' ? 0 : parseRealTime(name))
}

/** `RTMIN`, `RTMIN+3`, `RTMAX-1`: Node has no names for these. */
function parseRealTime(name: string): number | null {
  const match = process.platform === 'linux' ? /^(RTMIN|RTMAX)([+-]\d+)?$/.exec(name) : null
  if (match === null) return null
  const number = (match[1] === 'RTMIN' ? firstRealTime : lastRealTime) + Number(match[2] ?? 0)
  return number >= firstRealTime && number <= lastRealTime ? number : null
}

/** As the C library counts them; it keeps two for itself. */
const firstRealTime = 34
const lastRealTime = 64

/** `TERM` for 15; a number without a name stays a number, and so does 0. */
export function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, value]) => value === number)
  return known === undefined ? String(number) : known[0].slice(3)
}

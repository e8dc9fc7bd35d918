import { constants } from 'node:os'

/** By name (`TERM`, `SIGTERM`, `term`) or number (0 included), as its number; `null` if there is none. */
export function parseSignal(text: string): number | null {
  if (/^\d+$/.test(text)) {
    const number = Number(text)
    return number <= 64 ? number : null
  }
  const name = text.toUpperCase().replace(/^SIG/, '')
  const number = constants.signals[`SIG${name}` as NodeJS.Signals]
  return number ?? (name === 'EXIT' ? 0 : null)
}

/** `TERM` for 15. */
export function signalName(number: number): string {
  if (number === 0) return 'EXIT'
  const known = Object.entries(constants.signals).find(([, value]) => value === number)
  return known === undefined ? String(number) : known[0].slice(3)
}

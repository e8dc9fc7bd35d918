const suffixSeconds: Record<string, number> = { '': 1, ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 }
const decimal = /^\s*\+?(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)(ms|[smhd]?)$/i
const hexadecimal = /^\s*\+?0x([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?([smhd]?)$/i

/**
 * Parses a duration as GNU timeout does, and `ms` in addition: fractions, exponents, `s m h d`, `inf`. Returns seconds, or
 * `null` if it is invalid. 0 and values that overflow mean no limit; values too small for a number are rounded up.
 */
export function parseGnuDuration(text: string): number | null {
  const infinite = /^\s*\+?inf(?:inity)?([smhd]?)$/i.exec(text)
  if (infinite) return Number.POSITIVE_INFINITY
  const match = decimal.exec(text)
  if (match && match[2] === match[2]!.toLowerCase()) {
    const [mantissa] = match[1]!.split(/e/i)
    return roundUp(Number(match[1]), mantissa!) * suffixSeconds[match[2]]!
  }
  return parseHexadecimal(text)
}

function parseHexadecimal(text: string): number | null {
  const match = hexadecimal.exec(text)
  if (!match) return null
  const [, whole = '', fraction = '', exponent = '0', suffix = ''] = match
  if (whole + fraction === '') return null
  // A hexadecimal digit may look like the suffix for days; then it is a digit.
  const mantissa = Number.parseInt(whole + fraction, 16) / 16 ** fraction.length
  if (mantissa === 0) return 0
  const value = mantissa * 2 ** Number(exponent)
  return roundUp(value, whole + fraction) * suffixSeconds[suffix.toLowerCase()]!
}

/** Only digits that are all 0 mean 0. */
function roundUp(value: number, digits: string): number {
  return value === 0 && /[1-9a-f]/i.test(digits) ? Number.MIN_VALUE : value
}

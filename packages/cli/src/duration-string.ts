/** A duration with the largest unit that divides it, such as `90s`. */
export function durationString(ms: number): string {
  const [unit, size] = Object.entries({ h: 3_600_000, m: 60_000, s: 1_000 }).find(
    ([, size]) => ms % size === 0,
  ) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

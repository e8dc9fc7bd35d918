/** For people: `480 ms`, `5 s`, `5.2 s`, `3 min`, `1 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${trim(ms / 1_000)} s`
  const minutes = Math.floor(ms / 60_000)
  const seconds = Math.round((ms % 60_000) / 1_000)
  if (minutes < 60)
    return seconds === 0 || seconds === 60
      ? `${minutes + (seconds === 60 ? 1 : 0)} min`
      : `${minutes} min ${seconds} s`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '')
}

/** A promise that is resolved from outside. */
export class Signal {
  raise!: () => void
  readonly raised: Promise<void> = new Promise((resolve) => {
    this.raise = resolve
  })
}

/** Waits, but not longer than this. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([done, timeout])
  clearTimeout(timer)
}

/** Checks again and again until something holds. Throws when the time runs out: a test that only waits still fails. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<true> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (await holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  if (await holds()) return true
  throw new Error(`after ${ms} ms it still does not hold: ${holds}`)
}

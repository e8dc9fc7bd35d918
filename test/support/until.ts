/** Polls until the condition holds. Throws after `ms`, so that a test that only waits can fail. */
export async function until(condition: () => boolean | Promise<boolean>, ms = 20_000): Promise<true> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
    if (await condition()) return true
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  if (await condition()) return true
  throw new Error(`not true after ${ms} ms: ${condition}`)
}

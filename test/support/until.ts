const maxPauseMs = 50

/** Polls until the condition holds. Throws after `ms`, so that a test that only waits can fail. */
export async function until(condition: () => boolean | Promise<boolean>, ms = 60_000): Promise<true> {
  const deadline = performance.now() + ms
  for (let pauseMs = 2; performance.now() < deadline; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if (await condition()) return true
    // Some conditions are expensive, such as listing all processes.
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  if (await condition()) return true
  throw new Error(`not true after ${ms} ms: ${condition}`)
}

/** Looks again and again until something holds, or it has had its time; says which of the two. */
export async function until(holds: () => boolean | Promise<boolean>, ms = 20_000): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (await holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return await holds()
}

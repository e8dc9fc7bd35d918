import type { ShadowRepository } from './shadow-repository.ts'

/** How much is in memory at once. */
const groupBytes = 32 * 2 ** 20
const groupLength = 1_000

/** Yields the contents with these ids, each once; `null` for one that is missing or damaged. */
export async function* readBlobs(
  repository: ShadowRepository,
  ids: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<readonly [id: string, content: Buffer | null]> {
  const unique = [...new Set(ids)]
  if (unique.length === 0) return
  const check = await repository.git({ args: ['cat-file', '--batch-check'], input: lines(unique), signal })
  let group: string[] = []
  let bytes = 0
  for (const [index, line] of check.toString().trimEnd().split('\n').entries()) {
    const [, type, size] = line.split(' ')
    if (type !== 'blob') {
      yield [unique[index]!, null]
      continue
    }
    if (group.length > 0 && (bytes + Number(size) > groupBytes || group.length === groupLength)) {
      yield* readGroup(repository, group, signal)
      group = []
      bytes = 0
    }
    group.push(unique[index]!)
    bytes += Number(size)
  }
  yield* readGroup(repository, group, signal)
}

async function* readGroup(
  repository: ShadowRepository,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly [string, Buffer | null]> {
  if (ids.length === 0) return
  const output = await readAll(repository, ids, signal)
  if (output === null) {
    // One of them is damaged, and git stops there.
    if (ids.length === 1) return yield [ids[0]!, null]
    for (const id of ids) yield* readGroup(repository, [id], signal)
    return
  }
  let at = 0
  for (const id of ids) {
    const end = output.indexOf(0x0a, at)
    const size = Number(output.toString('latin1', at, end).split(' ')[2])
    yield [id, output.subarray(end + 1, end + 1 + size)]
    at = end + 1 + size + 1
  }
}

async function readAll(
  repository: ShadowRepository,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Buffer | null> {
  try {
    return await repository.git({ args: ['cat-file', '--batch'], input: lines(ids), signal })
  } catch {
    signal.throwIfAborted()
    return null
  }
}

function lines(ids: readonly string[]): Buffer {
  return Buffer.from(ids.map((id) => `${id}\n`).join(''))
}

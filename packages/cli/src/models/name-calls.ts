/** No tool can have this name, so the model reads that its call has none. */
const noName = '(no name)'

interface CallDelta {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null
}

interface Chunk {
  readonly choices: readonly {
    delta?: { readonly tool_calls?: readonly CallDelta[] } | null
    readonly finish_reason?: unknown
  }[]
}

/**
 * Gives the calls of an OpenAI-compatible stream that have no name one at their end, because the provider's package drops them or rejects
 * the whole response. Some servers send an empty name before the name, or with each part of the arguments.
 */
export function nameCalls(): TransformStream<string, string> {
  const named = new Set<unknown>([undefined, null])
  const nameless = new Map<unknown, { readonly id: unknown; readonly parts: unknown[] }>()
  let unfinished: string[] = []

  /** Returns false if the call has no name so far. */
  function keep({ index, id, function: called }: CallDelta): boolean {
    const { name, arguments: part } = called ?? {}
    const key = index ?? id
    if (typeof name === 'string' && name.trim() !== '') {
      nameless.delete(key)
      named.add(index).add(id)
      return true
    }
    if (named.has(key) || (id !== '' && id != null && named.has(id))) return true
    const call = nameless.get(key) ?? { id, parts: [] }
    call.parts.push(part)
    nameless.set(key, call)
    return false
  }

  function takeNameless(): CallDelta[] {
    const calls = [...nameless].map(([key, { id, parts }]) => ({
      ...(typeof key === 'number' && { index: key }),
      id,
      type: 'function',
      function: { name: noName, arguments: parts.join('') },
    }))
    nameless.clear()
    return calls
  }

  function rewrite(line: string): string {
    if (!line.startsWith('data:') || (nameless.size === 0 && !line.includes('"tool_calls"'))) return line
    try {
      const chunk = JSON.parse(line.slice('data:'.length)) as Chunk
      const choice = chunk.choices[0]!
      const deltas = choice.delta?.tool_calls ?? []
      const calls = deltas.filter(keep)
      const isUnchanged = calls.length === deltas.length
      if (choice.finish_reason != null) calls.push(...takeNameless())
      if (isUnchanged && calls.length === deltas.length) return line
      choice.delta = { ...choice.delta, tool_calls: calls }
      return `data: ${JSON.stringify(chunk)}`
    } catch {
      // The package reports it.
      return line
    }
  }

  return new TransformStream<string, string>({
    transform(text, controller) {
      const lines = text.split('\n')
      unfinished.push(lines.shift()!)
      const last = lines.pop()
      if (last === undefined) return
      const complete = [unfinished.join(''), ...lines]
      unfinished = [last]
      controller.enqueue(complete.map((line) => `${rewrite(line)}\n`).join(''))
    },
    flush(controller) {
      controller.enqueue(unfinished.join(''))
    },
  })
}

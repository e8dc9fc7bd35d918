import { abortable, messageOf } from '@curfew/core/internal'
import type { UserPart } from '../history/history-item.ts'
import type { McpHost } from './command-host.ts'
import type { Mention, MentionType } from './find-mentions.ts'
import { toUserParts } from './to-user-parts.ts'

/** Reads what a person mentioned. Resolves to `null` if there is no such thing: the mention then stays text. */
export type MentionResolver<T extends MentionType = MentionType> = (
  mention: Extract<Mention, { readonly type: T }>,
  signal: AbortSignal,
) => Promise<readonly UserPart[] | null>

export type MentionResolvers = { readonly [T in MentionType]?: MentionResolver<T> }

export interface ResolvedMentions {
  /** What the mentions refer to, in order. Append it to the message. */
  readonly parts: readonly UserPart[]
  /** Mentions that stay text. `message` is why they could not be read; `null` if there is no such thing. */
  readonly unresolved: readonly { readonly mention: Mention; readonly message: string | null }[]
}

/** Reads everything that was mentioned, each thing once. Rejects only if the signal is aborted. */
export async function resolveMentions(
  mentions: readonly Mention[],
  resolvers: MentionResolvers,
  signal: AbortSignal,
): Promise<ResolvedMentions> {
  signal.throwIfAborted()
  const parts: UserPart[] = []
  const unresolved: { mention: Mention; message: string | null }[] = []
  const different = [...new Map(mentions.map((mention) => [keyOf(mention), mention])).values()]
  // A resolver that ignores its signal must not keep the person waiting.
  const resolved = await abortable(
    Promise.all(different.map((mention) => resolveOne(mention, resolvers, signal))),
    signal,
  )
  for (const [index, found] of resolved.entries()) {
    const mention = different[index]!
    if (typeof found === 'string' || found === null) unresolved.push({ mention, message: found })
    else parts.push({ type: 'text', text: `Content of ${mention.text}:` }, ...found)
  }
  return { parts, unresolved }
}

/** Reads `@server:uri`. */
export function resourceResolver(mcp: McpHost): MentionResolver<'resource'> {
  return async ({ server, uri }, signal) => {
    const parts = await mcp.readResource(server, uri, signal)
    return toUserParts(parts)
  }
}

/** The parts, `null`, or an error's message. */
async function resolveOne(
  mention: Mention,
  resolvers: MentionResolvers,
  signal: AbortSignal,
): Promise<readonly UserPart[] | string | null> {
  const resolver = resolvers[mention.type] as MentionResolver | undefined
  try {
    return (await resolver?.(mention, signal)) ?? null
  } catch (error) {
    return messageOf(error)
  }
}

function keyOf(mention: Mention): string {
  return mention.type === 'resource'
    ? `resource ${mention.server}:${mention.uri}`
    : `${mention.type} ${mention.value}`
}

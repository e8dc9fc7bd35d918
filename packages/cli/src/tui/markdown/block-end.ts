import type { Token, Tokens } from 'marked'
import { Fence } from './fence.ts'
import { continuationMark } from './render-tokens.ts'

/** Describes the split of a block that is too long, before its last line. */
export interface BlockEnd {
  /** Closes the fence that the split is in, so that empty lines before it are kept. */
  readonly closing: string
  /** The lines that lead a parser to the place where the last line belongs. */
  readonly head: string
  /** The prefix of a line in the innermost container. */
  readonly lead: string
}

/** `undefined` if the last line ends a fence, which must not be separated from it. */
export function endOfBlock(block: Token): BlockEnd | undefined {
  let head = ''
  let lead = ''
  for (let token: Token | undefined = block; token !== undefined; ) {
    if (token.type === 'blockquote') {
      lead += '> '
      token = lastOf(token.tokens)
    } else if (token.type === 'list' && !lead.includes('>')) {
      const item: Tokens.ListItem = (token as Tokens.List).items.at(-1)!
      const [, indent, marker, spaces = ''] = /^( {0,3})([*+-]|\d{1,9}[.)])( *)/.exec(item.raw) ?? []
      const isLastLine = head !== '' && !hasLines(item)
      if (indent === undefined || isLastLine) break
      const start = indent + marker + (spaces === '' || spaces.length > 4 ? ' ' : spaces)
      head += `${lead}${start}${continuationMark}\n\n`
      lead += ' '.repeat(start.length)
      token = lastOf(item.tokens)
    } else {
      if (token.type !== 'code' || !hasLines(token)) break
      const fence = Fence.openIn(token.raw)
      if (fence !== undefined)
        return { closing: `${lead + fence.end}\n`, head: `${head}${lead}${fence.start}\n`, lead }
      if ((token as Tokens.Code).codeBlockStyle === undefined) return undefined
      break
    }
  }
  return { closing: '', head, lead }
}

/** A block of one line starts with the last line, so it is not split. */
function hasLines({ raw }: Token): boolean {
  return /\n./s.test(raw)
}

function lastOf(tokens: readonly Token[] = []): Token | undefined {
  return tokens.findLast(({ type }) => type !== 'space')
}

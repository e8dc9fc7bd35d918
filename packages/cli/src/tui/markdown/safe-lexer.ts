import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'

/** Quotes and lists inside of each other; what is deeper is shown as text. */
const maxDepth = 20
/** The parser's time grows with the square of these; a page of text has a few dozen. */
const maxMarks = 300
const marks = /[*_~[\]<`\\!]/g

/** As many marks of quotes and lists at the start of a line. */
const tooDeep = new RegExp(`^(?:[ \\t]*(?:>|[*+-](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${maxDepth + 1}}`, 'm')

/** Definitions of links or footnotes, one per line. */
const references = /^(?: {0,3}\[[^\]\n]+\]:.*(?:\n|$))+/

/** Markdown ends HTML also without a blank line, because models often leave that out. */
const afterHtml = /\n(?= {0,3}(?:#{1,6}\s|`{3}|~{3}|>|(?:[*+-]|1[.)])[ \t]))/

/** Parses a block of Markdown. Takes a bounded time for each thousand characters, whatever they are. */
export function parseBlock(source: string): Token[] {
  if (tooDeep.test(source)) return [linesToken(source)]
  return new SafeLexer({ gfm: true, tokenizer: new BlockTokenizer() }).lex(source)
}

/** The blocks of a text, without their inline content. */
export function blocksOf(source: string): Token[] {
  if (tooDeep.test(source)) return [linesToken(source)]
  return new SafeLexer({ gfm: true, tokenizer: new BlockTokenizer() }).blockTokens(source)
}

/** Quotes inside of each other, whose outline would take too long. */
const deepQuote = /^(?:[ \t]*>){4}/m

/** The same, without what is in the items of lists and in deep quotes. */
export function outlineOf(source: string): Token[] {
  if (/^ {0,3}>/.test(source) && deepQuote.test(source)) return [linesToken(source)]
  return new SafeLexer({ gfm: true, tokenizer: new OutlineTokenizer() }).blockTokens(source)
}

class SafeLexer extends Lexer {
  depth = 0

  override blockTokens<T extends Token[]>(
    source: string,
    tokens: T = [] as Token[] as T,
    isClipped = false,
  ): T {
    if (this.depth >= maxDepth) {
      tokens.push(textToken(source))
      return tokens
    }
    this.depth++
    try {
      super.blockTokens(source, tokens, isClipped)
      return tokens
    } finally {
      this.depth--
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if ((source.match(marks)?.length ?? 0) > maxMarks) {
      tokens.push(textToken(source))
      return tokens
    }
    return super.inlineTokens(source, tokens)
  }
}

/** Without what depends on other blocks: these are parsed one by one, while the text arrives. */
class BlockTokenizer extends Tokenizer {
  /** HTML and definitions of links are shown as they are, line by line. */
  override html(source: string): Tokens.HTML | undefined {
    const text = references.exec(source)?.[0] ?? super.html(source)?.raw.split(afterHtml, 1)[0]
    return text === undefined ? undefined : linesToken(text.trimEnd())
  }

  override def(): undefined {
    return undefined
  }

  override reflink(): undefined {
    return undefined
  }
}

class OutlineTokenizer extends BlockTokenizer {
  override list(source: string): Tokens.List | undefined {
    const lexer = this.lexer as unknown as SafeLexer
    const { depth } = lexer
    lexer.depth = maxDepth
    try {
      return super.list(source)
    } finally {
      lexer.depth = depth
    }
  }
}

/** Text that is shown as it is, line by line. */
function linesToken(text: string): Tokens.HTML {
  return { type: 'html', block: true, pre: false, raw: text, text }
}

function textToken(text: string): Tokens.Text {
  return { type: 'text', raw: text, text, escaped: true }
}

/**
 * More blanks or line breaks than text has for its layout; they would push what follows out of sight. Not U+2028 or a lone CR, for
 * example: where they end a line, what follows them is no longer part of a comment, and "spaces" would conceal that.
 */
const padding = /((?:[ \t]*\r?\n){5,}[ \t]*|[ \t]{61,})/

/** A text at even positions, and `⟨80 line breaks⟩` instead of the padding between at odd ones. */
export function splitAtPadding(text: string): string[] {
  return text.split(padding).map((part, index) => (index % 2 === 0 ? part : describePadding(part)))
}

/** The same as a string; instead of line breaks, on a line of its own. */
export function collapsePadding(text: string): string {
  return splitAtPadding(text)
    .map((part, index) => (index % 2 === 0 ? part : part.endsWith('breaks⟩') ? `\n${part}\n` : ` ${part} `))
    .join('')
}

function describePadding(run: string): string {
  const breaks = run.split('\n').length - 1
  return `⟨${(breaks || run.length).toLocaleString('en-US')} ${breaks > 0 ? 'line breaks' : 'spaces'}⟩`
}

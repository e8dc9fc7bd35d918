const fenceStart = /^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/
const headingStart = /^ {0,3}#{1,6}(?:\s|$)/
export const rule: RegExp = /^ {0,3}(?:(?:-[\t ]*){3,}|(?:_[\t ]*){3,}|(?:\*[\t ]*){3,})$/
const quoteStart = /^ {0,3}>/
/** A list that can follow a line of text directly; other numbers are part of the text. */
const listAfterText = /^ {0,3}(?:[*+-]|1[.)])[ \t]+[^ \t]/
/** The line below a heading without `#`. */
const underline = /^ {0,3}(?:-+|=+)[ \t]*$/
export const blank: RegExp = /^[ \t]*$/
/** A definition of a link or a footnote. */
export const referenceStart: RegExp = /^ {0,3}\[[^\]\n]+\]:/

const blockTags =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|' +
  'figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|meta|nav|' +
  'noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'
/** HTML that ends a paragraph or a list item. */
const htmlStart = new RegExp(
  `^ {0,3}(?:</?(?:${blockTags})(?:[ \\t]|$|/?>)|<(?:(?:script|pre|style|textarea)(?:[\\s>]|$)|!--)|<\\?|<![A-Za-z]|<!\\[CDATA\\[)`,
  'i',
)
/** A line that consists of one tag. */
const lineOfTag = /^ {0,3}<\/?[a-z][a-z0-9-]*(?:[ \t][^<>]*)?\/?>[ \t]*$/i

/** A line that ends the text before it. */
export function interruptsText(line: string): boolean {
  return (
    headingStart.test(line) ||
    fenceStart.test(line) ||
    quoteStart.test(line) ||
    listAfterText.test(line) ||
    (rule.test(line) && !underline.test(line))
  )
}

/** The start of HTML that is not part of a line of text. */
export function isHtml(line: string): boolean {
  return htmlStart.test(line) || lineOfTag.test(line)
}

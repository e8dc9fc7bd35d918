const hidden = /^(script|style|noscript|template)$/
const block =
  /^(p|div|br|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|main|pre|blockquote|dt|dd|hr)$/
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** The text of a page, without its structure. Takes time proportional to its length, whatever it contains. */
export function textOfHtml(html: string): string {
  const parts: string[] = []
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    if (open === -1) {
      parts.push(html.slice(at))
      break
    }
    parts.push(html.slice(at, open))
    const isComment = html.startsWith('<!--', open)
    const end = html.indexOf(isComment ? '-->' : '>', open + 1)
    if (end === -1) break
    at = end + (isComment ? 3 : 1)
    const [, name = ''] = /^<\/?([a-z][a-z0-9]{0,15})/i.exec(html.slice(open, open + 20)) ?? []
    const tag = name.toLowerCase()
    if (block.test(tag)) parts.push('\n')
    if (hidden.test(tag) && html[open + 1] !== '/') {
      const close = new RegExp(`</${tag}`, 'gi')
      close.lastIndex = at
      at = close.exec(html)?.index ?? html.length
    }
  }
  return parts
    .join('')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, decodeEntity)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\n ]*/g, '\n')
    .trim()
}

function decodeEntity(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return entities[name.toLowerCase()] ?? entity
  const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
}

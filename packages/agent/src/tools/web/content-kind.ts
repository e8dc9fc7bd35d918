export type ContentKind = 'html' | 'text' | 'image' | 'pdf'

/** What models read as an image. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const texts =
  /^(text\/.+|application\/(json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|x-ndjson|graphql|sql)|.+\+(json|xml|yaml))$/

/** How a content type is read; `null` if a model cannot read it. Without a type, it is text. */
export function contentKind(contentType: string): ContentKind | null {
  const type = mediaType(contentType)
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (images.has(type)) return 'image'
  if (type === 'application/pdf') return 'pdf'
  return type === '' || texts.test(type) ? 'text' : null
}

/** Without parameters such as the charset. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}

/** In the charset of the content type, of the byte order mark or of an HTML page; otherwise UTF-8. */
export function decodeText(bytes: Buffer, contentType: string, isHtml: boolean): string {
  const declared = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]
  const [b0, b1] = bytes
  const marked = b0 === 0xff && b1 === 0xfe ? 'utf-16le' : b0 === 0xfe && b1 === 0xff ? 'utf-16be' : undefined
  // Browsers look at the first 1,024 bytes, too.
  const inPage = isHtml ? metaCharset.exec(bytes.toString('latin1', 0, 1_024))?.[1] : undefined
  return decode(bytes, marked ?? declared ?? inPage)
}

const metaCharset = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i

function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

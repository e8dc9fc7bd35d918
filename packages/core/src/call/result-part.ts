/**
 * A part of a result, for models and programs that read more than text. `data` is base64.
 * - `image`, `audio`, `file`: the data itself.
 * - `resource`: something with an address; without `text` and `data`, a link.
 */
export type ResultPart = TextPart | MediaPart | FilePart | ResourcePart

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

export interface MediaPart {
  readonly type: 'image' | 'audio'
  readonly data: string
  /** Such as `image/png`. */
  readonly mediaType: string
}

export interface FilePart {
  readonly type: 'file'
  readonly data: string
  readonly mediaType: string
  /** Without a path. */
  readonly name?: string | undefined
}

export interface ResourcePart {
  readonly type: 'resource'
  readonly uri: string
  readonly title?: string | undefined
  readonly mediaType?: string | undefined
  readonly text?: string | undefined
  readonly data?: string | undefined
}

/** A part for a model that reads only text: its text, or what it is, such as `[image image/png, 34 KB]`. */
export function textOfPart(part: ResultPart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'resource':
      return part.text ?? nameOfPart(part)
    default:
      return nameOfPart(part)
  }
}

/** What a part is, such as `[image image/png, 34 KB]`. */
export function nameOfPart(part: Exclude<ResultPart, TextPart>): string {
  const label = part.type === 'resource' ? [part.title, part.uri] : part.type === 'file' ? [part.name] : []
  const words = [part.type, ...label, part.mediaType].filter((word) => word !== undefined)
  const size = part.data === undefined ? '' : `, ${formatSize(dataLength(part.data))}`
  return `[${words.join(' ')}${size}]`
}

/** The number of bytes that a base64 string represents. */
function dataLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor((base64.length * 3) / 4) - padding
}

function formatSize(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

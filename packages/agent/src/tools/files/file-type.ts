/** A type that a model can see or read as it is. */
export interface MediaType {
  readonly type: 'image' | 'file'
  readonly mediaType: string
}

/** By the first bytes: a name can be wrong. `null` for other files. */
export function mediaTypeOf(bytes: Buffer): MediaType | null {
  const found = media.find(({ signature }) => signature.every(([at, hex]) => startsAt(bytes, at, hex)))
  return found === undefined ? null : { type: found.type, mediaType: found.mediaType }
}

/** What a file that is not text is, as far as its first bytes tell. */
export function binaryTypeOf(bytes: Buffer): string {
  return binaries.find(([hex, at = 0]) => startsAt(bytes, at, hex))?.[2] ?? 'binary data'
}

type Signature = readonly (readonly [at: number, hex: string])[]

const media: readonly (MediaType & { readonly signature: Signature })[] = [
  { type: 'image', mediaType: 'image/png', signature: [[0, '89504e470d0a1a0a']] },
  { type: 'image', mediaType: 'image/jpeg', signature: [[0, 'ffd8ff']] },
  { type: 'image', mediaType: 'image/gif', signature: [[0, '47494638']] },
  {
    type: 'image',
    mediaType: 'image/webp',
    signature: [
      [0, '52494646'],
      [8, '57454250'],
    ],
  },
  { type: 'file', mediaType: 'application/pdf', signature: [[0, '255044462d']] },
]

const binaries: readonly (readonly [hex: string, at: number | undefined, name: string])[] = [
  ['7f454c46', 0, 'a program (ELF)'],
  ['4d5a', 0, 'a program (Windows)'],
  ['cffaedfe', 0, 'a program (Mach-O)'],
  ['0061736d', 0, 'a WebAssembly module'],
  ['504b0304', 0, 'a ZIP archive, or a document in one'],
  ['1f8b', 0, 'gzip-compressed data'],
  ['425a68', 0, 'bzip2-compressed data'],
  ['fd377a585a00', 0, 'xz-compressed data'],
  ['28b52ffd', 0, 'zstd-compressed data'],
  ['377abcaf271c', 0, 'a 7z archive'],
  ['7573746172', 257, 'a tar archive'],
  ['53514c69746520666f726d6174203300', 0, 'an SQLite database'],
  ['66747970', 4, 'a video or image (MP4, HEIC, AVIF)'],
  ['4f676753', 0, 'audio or video (Ogg)'],
  ['494433', 0, 'audio (MP3)'],
  ['52494646', 0, 'audio or video (RIFF)'],
  ['774f4632', 0, 'a font (WOFF2)'],
  ['424d', 0, 'an image (BMP)'],
  ['00000100', 0, 'an icon (ICO)'],
]

function startsAt(bytes: Buffer, at: number, hex: string): boolean {
  return bytes.subarray(at, at + hex.length / 2).toString('hex') === hex
}

// A name need not be valid UTF-8. While folders are walked, paths contain one character per byte (`latin1`).

/** For the functions of `node:fs`. */
export function toFilePath(path: string): string | Buffer {
  return isAscii(path) ? path : Buffer.from(path, 'latin1')
}

/** For people, models and globs. Invalid bytes become replacement characters. */
export function toShownPath(path: string): string {
  return isAscii(path) ? path : Buffer.from(path, 'latin1').toString('utf8')
}

export function fromFilePath(path: string): string {
  return isAscii(path) ? path : Buffer.from(path, 'utf8').toString('latin1')
}

function isAscii(path: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the first of the ASCII characters
  return /^[\x00-\x7f]*$/.test(path)
}

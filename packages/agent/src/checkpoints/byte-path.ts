import { escapeInvisible } from '@curfew/core/internal'

/**
 * A path relative to the root of the workspace, with `/`, in which every character stands for one byte: names need not be valid
 * UTF-8, and no two names may become equal.
 */
export type BytePath = string

export function toBytes(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1')
}

export function fromBytes(bytes: Uint8Array): BytePath {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** The absolute path, for `node:fs`. */
export function absolute(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(root.endsWith('/') ? root : `${root}/`), toBytes(path)])
}

/** The absolute path as a string. Bytes that are not UTF-8 become replacement characters. */
export function absoluteText(root: string, path: BytePath): string {
  return absolute(root, path).toString('utf8')
}

/** For people: in one line, with everything visible. */
export function showPath(path: BytePath): string {
  return escapeInvisible(toBytes(path).toString('utf8')).replaceAll('\n', '\\n')
}

/** The folders that contain it, the outermost first. */
export function parentsOf(path: BytePath): BytePath[] {
  const parents: BytePath[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at))
  return parents
}

export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The paths of output or input that is separated by NUL. */
export function splitPaths(output: Buffer): BytePath[] {
  const paths = fromBytes(output).split('\0')
  paths.pop()
  return paths
}

export function joinPaths(paths: readonly BytePath[]): Buffer {
  return toBytes(paths.map((path) => `${path}\0`).join(''))
}

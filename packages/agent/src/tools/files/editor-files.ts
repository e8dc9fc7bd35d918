import { createHash } from 'node:crypto'
import type { ToolContext } from '@curfew/core'
import type { FileLocation } from '../../workspace/workspace.ts'
import type { CurrentContent } from './current-content.ts'
import type { Fingerprint } from './file-states.ts'
import { maxLoadedBytes } from './read-bytes.ts'
import { decodeText } from './text-encoding.ts'

type Signal = ToolContext['signal']

/** The files as an editor has them, with changes that are not saved yet. Paths are real paths that may be used. */
export interface EditorFiles {
  /** The content of a text file. If it rejects, the file on the disk is used. */
  readText(realPath: string, signal: Signal): Promise<string>
  /** Creates or replaces a text file. Without it, files are written to the disk. */
  readonly writeText?: ((realPath: string, text: string, signal: Signal) => Promise<void>) | undefined
}

/** The content of a UTF-8 file in the editor; that of other files as it is. */
export async function contentInEditor(
  editor: EditorFiles | undefined,
  { realPath }: FileLocation,
  content: Buffer,
  signal: Signal,
): Promise<Buffer> {
  if (editor === undefined || decodeText(content)?.encoding !== 'utf-8') return content
  const text = await editor.readText(realPath, signal).catch(() => null)
  signal.throwIfAborted()
  // Whatever an editor sends, a file that is too large is not loaded.
  return typeof text === 'string' && text.length <= maxLoadedBytes ? Buffer.from(text) : content
}

/** The same for what a file contains before it is changed. */
export async function currentInEditor(
  editor: EditorFiles | undefined,
  location: FileLocation,
  current: CurrentContent | null,
  signal: Signal,
): Promise<CurrentContent | null> {
  if (current?.content == null) return current
  const content = await contentInEditor(editor, location, current.content, signal)
  if (content === current.content) return current
  return { ...current, content, fingerprint: withContent(current.fingerprint, content) }
}

/** Writes through the editor. `null` if the editor cannot: the file has another encoding, or is not text. */
export async function writeInEditor(
  editor: EditorFiles | undefined,
  { realPath }: FileLocation,
  current: CurrentContent | null,
  content: Buffer,
  signal: Signal,
): Promise<Fingerprint | null> {
  const decoded = decodeText(content)
  if (editor?.writeText === undefined || decoded?.encoding !== 'utf-8') return null
  if (current !== null && (current.content === null || decodeText(current.content)?.encoding !== 'utf-8'))
    return null
  await editor.writeText(realPath, decoded.text, signal)
  const unknown = { dev: 0n, ino: 0n, size: BigInt(content.length), mtimeNs: 0n, hash: null }
  return withContent(current?.fingerprint ?? unknown, content)
}

function withContent(fingerprint: Fingerprint, content: Buffer): Fingerprint {
  return { ...fingerprint, hash: createHash('sha256').update(content).digest('base64') }
}

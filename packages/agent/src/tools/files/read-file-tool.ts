import { basename, dirname } from 'node:path'
import { type Tool, type ToolContext, toolResult } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { FileLocation, Workspace } from '../../workspace/workspace.ts'
import { contentInEditor, type EditorFiles } from './editor-files.ts'
import { fileError, rejected } from './file-error.ts'
import { fileKey } from './file-key.ts'
import { type FileStates, fingerprintOf, isSameFile } from './file-states.ts'
import { binaryTypeOf, type MediaType, mediaTypeOf } from './file-type.ts'
import { formatSize } from './format-size.ts'
import { type LineRange, rangeOf, rangeOfChunks } from './line-range.ts'
import { missingFile } from './missing-file.ts'
import { type OpenFile, openRegularFile } from './open-regular-file.ts'
import { readableLocation } from './permitted-location.ts'
import { pinFolder } from './pin-folder.ts'
import { maxLoadedBytes, readBytes, readChunks } from './read-bytes.ts'
import { type DecodedText, decodeText, detectEncoding, encodingNames } from './text-encoding.ts'

const defaultLineCount = 2_000
/** Below the default of `maxContentLength`. */
const maxCharacters = 60_000
const maxLineLength = 2_000
/** As base64, below the limit for all parts of a result. */
const maxMediaBytes = 5_000_000
const sampleBytes = 65_536

export function readFileTool(workspace: Workspace, states: FileStates, editor?: EditorFiles): Tool {
  return defineToolFrom(
    {
      name: 'read_file',
      title: 'Read a file',
      description: 'Read a text file, an image or a PDF of the workspace.',
      usage: `Use it before 'write_file' and 'edit_file', which reject files that were not read. For the entries of a folder, use 'list_directory' instead. Returns the lines with their numbers, from 1: a number, a tab, then the line; the number and the tab are not part of the file. Returns at most ${maxCharacters} characters; lines longer than ${maxLineLength} characters are cut, and a note at the end says how to continue. Images (PNG, JPEG, GIF, WebP) and PDFs up to ${formatSize(maxMediaBytes)} are returned as they are; other binary files are rejected. Text is decoded as UTF-8, as UTF-16 if it has a byte order mark, and otherwise as Latin-1.`,
      parameters: objectSchema(['path'], {
        path: described(
          { type: 'string', minLength: 1 },
          "The file, relative to the workspace's root or absolute.",
        ),
        first_line: described(
          { type: 'integer', minimum: 1, default: 1 },
          'The first line to return, counted from 1. Ignored for images and PDFs.',
        ),
        line_count: described(
          { type: 'integer', minimum: 1, default: defaultLineCount },
          'The maximum number of lines to return.',
        ),
      }),
      readOnly: true,
      concurrent: true,
      idempotent: true,
      openWorld: false,
      resources: ({ path }) => [fileKey(workspace, path)],
      restrict: ({ path }) => workspace.restrictRead(path),
      async execute({ path, first_line, line_count }, { signal }) {
        const location = readableLocation(workspace, path)
        const reading = { location, states, editor, signal, firstLine: first_line, lineCount: line_count }
        try {
          return await readFile(reading)
        } catch (error) {
          if (signal.aborted) throw error
          throw (await missingFile(error, location)) ?? fileError(error, location.shownPath)
        }
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}

interface Reading {
  readonly location: FileLocation
  readonly states: FileStates
  readonly editor: EditorFiles | undefined
  readonly signal: ToolContext['signal']
  readonly firstLine: number
  readonly lineCount: number
}

async function readFile(reading: Reading): Promise<unknown> {
  const { realPath, shownPath } = reading.location
  const folder = await pinFolder(dirname(realPath))
  try {
    const file = await openRegularFile(folder, basename(realPath), shownPath)
    try {
      return await readOpenFile(file, reading)
    } finally {
      await file.handle.close()
    }
  } finally {
    await folder.close()
  }
}

async function readOpenFile(file: OpenFile, reading: Reading): Promise<unknown> {
  const { handle, stats } = file
  const size = Number(stats.size)
  const sample = await readBytes(handle, sampleBytes)
  const media = mediaTypeOf(sample)
  if (media !== null) return readMedia(file, media, reading)
  if (detectEncoding(sample) === null) throw binary(sample, size, reading)
  if (size > maxLoadedBytes) return readLarge(file, sample, reading)
  const { location, editor, signal } = reading
  const onDisk = await readBytes(handle, maxLoadedBytes + 1, signal)
  const content = await contentInEditor(editor, location, onDisk, signal)
  const decoded = decodeText(content)
  if (decoded === null) throw binary(content, content.length, reading)
  const range = rangeOf(decoded.text, limitsOf(reading))
  return finish(file, reading, range, notesOn(decoded), content)
}

async function readLarge(file: OpenFile, sample: Buffer, reading: Reading): Promise<string> {
  const encoding = detectEncoding(sample)!
  if (encoding.startsWith('utf-16')) {
    const message = `${reading.location.shownPath} is a UTF-16 file of ${formatSize(Number(file.stats.size))}; UTF-16 is supported up to ${formatSize(maxLoadedBytes)}`
    throw rejected(message)
  }
  const chunks = readChunks(file.handle, reading.signal)
  const isLatin1 = encoding === 'latin1'
  const range = await rangeOfChunks(chunks, isLatin1 ? 'latin1' : 'utf8', limitsOf(reading))
  const size = `the file has ${formatSize(Number(file.stats.size))}; it cannot be edited`
  return finish(file, reading, range, [...(isLatin1 ? [encodingNames.latin1] : []), size], null)
}

function limitsOf({ firstLine, lineCount }: Reading): Parameters<typeof rangeOf>[1] {
  return { firstLine, lineCount, maxCharacters, maxLineLength }
}

async function finish(
  { handle, stats }: OpenFile,
  { location, states, firstLine }: Reading,
  { lines, total }: LineRange,
  notes: readonly string[],
  content: Buffer | null,
): Promise<string> {
  const { realPath, shownPath } = location
  if (lines.length === 0 && total !== 0)
    throw rejected(`first_line: ${shownPath} has only ${total} lines, got ${firstLine}`)
  const last = firstLine + lines.length - 1
  const isEnd = last === total || total === 0
  const after = await handle.stat({ bigint: true })
  const hasChanged = !isSameFile(stats, after)
  if (!hasChanged)
    states.addRead(
      realPath,
      fingerprintOf(stats, content),
      firstLine,
      isEnd ? Number.POSITIVE_INFINITY : last,
    )
  const allNotes = [
    ...(total === 0 ? ['the file is empty'] : []),
    ...(hasChanged ? ['the file changed while it was being read; read it again'] : []),
    ...(isEnd
      ? []
      : [
          `lines ${firstLine}-${last}${total === null ? '' : ` of ${total}`}; to continue, pass first_line: ${last + 1}`,
        ]),
    ...notes,
  ]
  const numbered = lines.map((line, index) => `${firstLine + index}\t${line}`).join('\n')
  return [numbered, ...(allNotes.length === 0 ? [] : [`[${allNotes.join('; ')}]`])]
    .filter(Boolean)
    .join('\n\n')
}

function notesOn({ text, encoding }: DecodedText): readonly string[] {
  const crlf = text.includes('\r\n')
  const mixed = crlf && /(^|[^\r])\n/.test(text)
  return [
    ...(encoding === 'utf-8' ? [] : [encodingNames[encoding]]),
    ...(crlf ? [mixed ? 'some lines end with CRLF' : 'lines end with CRLF'] : []),
    ...(text === '' || text.endsWith('\n') ? [] : ['no line feed at the end of the file']),
  ]
}

async function readMedia({ handle, stats }: OpenFile, media: MediaType, reading: Reading): Promise<unknown> {
  const { realPath, shownPath } = reading.location
  const size = Number(stats.size)
  if (size > maxMediaBytes) {
    const message = `${shownPath} is too large: ${media.mediaType} of ${formatSize(size)}; at most ${formatSize(maxMediaBytes)} can be returned`
    throw rejected(message)
  }
  const content = await readBytes(handle, maxMediaBytes + 1, reading.signal)
  const after = await handle.stat({ bigint: true })
  if (!isSameFile(stats, after)) throw rejected(`${shownPath} changed while it was being read; read it again`)
  reading.states.addRead(realPath, fingerprintOf(stats, content), 1, Number.POSITIVE_INFINITY)
  const data = content.toString('base64')
  const name = basename(realPath).replace(/\p{C}|\\/gu, '_')
  const { mediaType } = media
  return toolResult({
    parts: [
      media.type === 'image' ? { type: 'image', data, mediaType } : { type: 'file', data, mediaType, name },
    ],
  })
}

function binary(bytes: Buffer, size: number, { location }: Reading): Error {
  return rejected(
    `${location.shownPath} is not text: ${binaryTypeOf(bytes)}, ${formatSize(size)}. Only text, images (PNG, JPEG, GIF, WebP) and PDFs can be read`,
  )
}

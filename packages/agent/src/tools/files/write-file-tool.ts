import { CurfewError, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { changeFile, type FileChange } from './change-file.ts'
import type { CurrentContent } from './current-content.ts'
import type { EditorFiles } from './editor-files.ts'
import { fileKey } from './file-key.ts'
import type { FileStates } from './file-states.ts'
import { formatSize } from './format-size.ts'
import { lineEndingOf, withLineEnding } from './line-endings.ts'
import { linesOf } from './line-range.ts'
import { readableLocation, writableLocation } from './permitted-location.ts'
import { previewChange } from './preview-change.ts'
import { maxLoadedBytes } from './read-bytes.ts'
import { showDiff } from './show-diff.ts'
import { decodeText, encodeText, encodingNames, type TextEncoding } from './text-encoding.ts'

export function writeFileTool(workspace: Workspace, states: FileStates, editor?: EditorFiles): Tool {
  return defineToolFrom(
    {
      name: 'write_file',
      title: 'Write a file',
      description: 'Create a text file in the workspace, or replace its content.',
      usage:
        "Use it for new files, and where most of a file changes. For a part of a file, use 'edit_file' instead. An existing file must have been read completely with 'read_file', and is rejected if it has changed since; folders that do not exist are created. The file is written completely or not at all. An existing file keeps its permissions, its encoding and, if all lines end with CRLF, its line endings; new files are UTF-8. Returns what was written.",
      parameters: objectSchema(['path', 'content'], {
        path: described(
          { type: 'string', minLength: 1 },
          "The file, relative to the workspace's root or absolute.",
        ),
        content: described(
          { type: 'string', maxLength: maxLoadedBytes },
          'The complete content, without line numbers.',
        ),
      }),
      readOnly: false,
      destructive: true,
      idempotent: true,
      openWorld: false,
      resources: ({ path }) => [fileKey(workspace, path)],
      restrict: ({ path }) => workspace.restrictWrite(path),
      preview({ path, content }, context) {
        const location = readableLocation(workspace, path)
        const show = async (current: CurrentContent | null): Promise<string> => {
          rejectHalfCharacters(content)
          const before = textOf(current)
          return showDiff(location.shownPath, before, withEndingOf(before, content))
        }
        return previewChange({ workspace, location, states, editor, context, replaces: true, show })
      },
      async execute({ path, content }, context) {
        rejectHalfCharacters(content)
        const location = writableLocation(workspace, path, context.restriction)
        const change = (current: CurrentContent | null): FileChange =>
          replace(current, content, location.shownPath)
        return changeFile({ location, states, editor, context, replaces: true, change })
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}

function replace(current: CurrentContent | null, content: string, shown: string): FileChange {
  const before = current?.content == null ? null : decodeText(current.content)
  const text = withEndingOf(before?.text ?? null, content)
  const wanted: TextEncoding = before?.encoding ?? 'utf-8'
  const encoded = encodeText(text, wanted)
  const bytes = encoded ?? Buffer.from(text)
  if (current?.content?.equals(bytes)) return { content: null, message: `${shown} already has this content` }
  const lines = linesOf(text).length
  const details = [
    `${lines} ${lines === 1 ? 'line' : 'lines'}`,
    formatSize(bytes.length),
    ...(text === content ? [] : ['CRLF line endings kept']),
    ...(encoded === null ? [`now UTF-8, because ${encodingNames[wanted]} lacks some of the characters`] : []),
    ...(encoded !== null && wanted !== 'utf-8' ? [`${encodingNames[wanted]} kept`] : []),
    ...otherNames(current),
  ]
  return {
    content: bytes,
    message: `${current === null ? 'Created' : 'Replaced'} ${shown}: ${details.join(', ')}`,
  }
}

/** A file that replaces another one does not share its other names. */
export function otherNames(current: CurrentContent | null): readonly string[] {
  return current !== null && current.links > 1 ? ['other hard links to the file keep the old content'] : []
}

/** A file whose lines all end with CRLF keeps that, because read_file does not show it. */
function withEndingOf(before: string | null, content: string): string {
  const keepsCrlf = before !== null && lineEndingOf(before) === '\r\n' && !content.includes('\r\n')
  return keepsCrlf ? withLineEnding(content, '\r\n') : content
}

function textOf(current: CurrentContent | null): string | null {
  if (current === null) return null
  const decoded = current.content === null ? null : decodeText(current.content)
  return decoded?.text ?? `[${formatSize(Number(current.fingerprint.size))} that are not shown]\n`
}

function rejectHalfCharacters(content: string): void {
  if (content.isWellFormed()) return
  const message = 'content: contains half of a surrogate pair, which cannot be written as UTF-8'
  throw new CurfewError('INVALID_PARAMS', message, { field: 'content', hadNoEffect: true })
}

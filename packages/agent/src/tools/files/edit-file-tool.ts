import type { Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { applyEdits, type TextEdit } from './apply-edits.ts'
import { changeFile, type FileChange } from './change-file.ts'
import type { CurrentContent } from './current-content.ts'
import type { EditorFiles } from './editor-files.ts'
import { rejected } from './file-error.ts'
import { fileKey } from './file-key.ts'
import type { FileStates } from './file-states.ts'
import { formatSize } from './format-size.ts'
import { readableLocation, writableLocation } from './permitted-location.ts'
import { previewChange } from './preview-change.ts'
import { maxLoadedBytes } from './read-bytes.ts'
import { showDiff } from './show-diff.ts'
import {
  type DecodedText,
  decodeText,
  encodeText,
  encodingNames,
  firstBeyondLatin1,
} from './text-encoding.ts'
import { otherNames } from './write-file-tool.ts'

const maxEdits = 200

export function editFileTool(workspace: Workspace, states: FileStates, editor?: EditorFiles): Tool {
  return defineToolFrom(
    {
      name: 'edit_file',
      title: 'Edit a file',
      description: 'Replace exact strings in a text file of the workspace.',
      usage: `Use it to change parts of a file that was read with 'read_file'; the call is rejected if the file has changed since. For new files, and where most of a file changes, use 'write_file' instead. Edits are applied one after the other, each to the result of the previous one; if one of them cannot be applied, none is, and the error shows the closest lines. Line endings make no difference: those of the file are kept, and so are its encoding and its permissions. Files up to ${formatSize(maxLoadedBytes)}. Returns the number of replacements.`,
      parameters: objectSchema(['path', 'edits'], {
        path: described(
          { type: 'string', minLength: 1 },
          "The file, relative to the workspace's root or absolute.",
        ),
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: maxEdits,
          description: 'The replacements, in order.',
          items: objectSchema(['old_string', 'new_string'], {
            old_string: described(
              { type: 'string', minLength: 1, maxLength: maxLoadedBytes },
              'The exact text to replace, with its indentation and without line numbers. Must occur once, unless replace_all is true.',
            ),
            new_string: described(
              { type: 'string', maxLength: maxLoadedBytes },
              'The text that replaces it; empty to remove it.',
            ),
            replace_all: described({ type: 'boolean', default: false }, 'Replace every occurrence.'),
          }),
        },
      }),
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: false,
      resources: ({ path }) => [fileKey(workspace, path)],
      restrict: ({ path }) => workspace.restrictWrite(path),
      preview({ path, edits }, context) {
        const location = readableLocation(workspace, path)
        const show = async (current: CurrentContent | null): Promise<string> => {
          const { before, after } = editText(current, edits, location.shownPath)
          return showDiff(location.shownPath, before.text, after)
        }
        return previewChange({ workspace, location, states, editor, context, replaces: false, show })
      },
      async execute({ path, edits }, context) {
        const location = writableLocation(workspace, path, context.restriction)
        const change = (current: CurrentContent | null): FileChange =>
          toChange(current, edits, location.shownPath)
        return changeFile({ location, states, editor, context, replaces: false, change })
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}

/** Applies edits. Throws if one of them cannot be applied. */
export function editText(
  current: CurrentContent | null,
  edits: readonly TextEdit[],
  shown: string,
): { readonly before: DecodedText; readonly after: string; readonly replacements: number } {
  if (current === null) throw rejected(`${shown} does not exist; create it with write_file`)
  if (current.content === null) {
    const size = formatSize(Number(current.fingerprint.size))
    throw rejected(`${shown} is too large to be edited: ${size}, at most ${formatSize(maxLoadedBytes)}`)
  }
  const before = decodeText(current.content)
  if (before === null) throw rejected(`${shown} is not text; it cannot be edited`)
  const result = applyEdits(before.text, edits)
  if ('problem' in result) throw rejected(`${shown} is unchanged: ${result.problem}`)
  return { before, after: result.text, replacements: result.replacements }
}

function toChange(current: CurrentContent | null, edits: readonly TextEdit[], shown: string): FileChange {
  const { before, after, replacements } = editText(current, edits, shown)
  if (after === before.text) return { content: null, message: `${shown} is the same after these edits` }
  const content = encode(after, before, shown)
  const made = `${replacements} ${replacements === 1 ? 'replacement' : 'replacements'}`
  return { content, message: `Edited ${shown}: ${[made, ...otherNames(current)].join(', ')}` }
}

function encode(text: string, { encoding }: DecodedText, shown: string): Buffer {
  const name = encodingNames[encoding]
  const bytes = encodeText(text, encoding)
  if (bytes === null) {
    const character = JSON.stringify(firstBeyondLatin1(text))
    throw rejected(
      `${shown} is unchanged: it is ${name}, which has no ${character}; write it as UTF-8 with write_file`,
    )
  }
  if (decodeText(bytes)?.text === text) return bytes
  throw rejected(
    `${shown} is unchanged: as ${name}, the edited text would not be the same when it is read; new_string must not contain NUL characters or halves of surrogate pairs`,
  )
}

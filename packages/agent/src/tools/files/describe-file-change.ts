import type { Workspace } from '../../workspace/workspace.ts'
import type { TextEdit } from './apply-edits.ts'
import { contentForPreview } from './change-file.ts'
import { editText } from './edit-file-tool.ts'
import type { EditorFiles } from './editor-files.ts'
import { writableForPreview } from './permitted-location.ts'
import { decodeText } from './text-encoding.ts'

/** What a call changes, as an editor shows it. */
export interface DescribedChange {
  /** The real path. */
  readonly path: string
  /** `null` if the file does not exist. */
  readonly oldText: string | null
  readonly newText: string
}

const never = new AbortController().signal

/**
 * What a call to `write_file` or `edit_file` would change. Resolves to `null` for other calls, and for those that would
 * fail.
 */
export async function describeFileChange(
  workspace: Workspace,
  call: { readonly name: string; readonly params: unknown },
  editor?: EditorFiles,
): Promise<DescribedChange | null> {
  const { path, content, edits } = Object(call.params) as Record<string, unknown>
  if (typeof path !== 'string') return null
  try {
    const location = writableForPreview(workspace, path)
    const current = await contentForPreview(location, editor, never)
    if (call.name === 'edit_file') {
      const { before, after } = editText(current, edits as readonly TextEdit[], location.shownPath)
      return { path: location.realPath, oldText: before.text, newText: after }
    }
    if (call.name !== 'write_file' || typeof content !== 'string') return null
    const before = current?.content == null ? null : decodeText(current.content)
    if (current !== null && before === null) return null
    return { path: location.realPath, oldText: before?.text ?? null, newText: content }
  } catch {
    // The call itself reports what is wrong with its arguments.
    return null
  }
}

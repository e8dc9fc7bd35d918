import { CurfewError, type ToolContext } from '@curfew/core'
import type { FileLocation, Workspace } from '../../workspace/workspace.ts'
import { contentForPreview } from './change-file.ts'
import { type CurrentContent, rejectUnread } from './current-content.ts'
import type { EditorFiles } from './editor-files.ts'
import type { FileStates } from './file-states.ts'

export interface PreviewOptions {
  readonly workspace: Workspace
  readonly location: FileLocation
  readonly states: FileStates
  readonly editor: EditorFiles | undefined
  readonly context: { readonly uid: number; readonly signal: ToolContext['signal'] }
  /** As in `ChangeOptions`. */
  readonly replaces: boolean
  readonly show: (current: CurrentContent | null) => Promise<string>
}

/**
 * Shows a change to the person who is asked to approve it. Returns the error of a call that would fail, so that nobody is asked. If the
 * file is protected, a person is asked nevertheless, to know what the model attempts.
 */
export async function previewChange(options: PreviewOptions): Promise<string | CurfewError> {
  const { workspace, location, states, editor, context, replaces, show } = options
  const { realPath } = location
  const isRestricted = workspace.restrictWrite(location) !== null
  try {
    const current = await contentForPreview(location, editor, context.signal)
    const state = states.get(realPath)
    // The next call knows that it does not exist.
    if (current === null && !isRestricted) states.forget(realPath)
    rejectUnread(current, state, location, replaces)
    states.addPreview(context.uid, current?.fingerprint ?? null)
    return await show(current)
  } catch (error) {
    if (!(error instanceof CurfewError)) throw error
    return isRestricted ? `The call will fail: ${error.message}` : error
  }
}

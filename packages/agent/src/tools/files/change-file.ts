import { dirname } from 'node:path'
import type { ToolContext } from '@curfew/core'
import type { FileLocation } from '../../workspace/workspace.ts'
import { type CreatedFolders, createFolders } from './create-folders.ts'
import { type CurrentContent, currentContent, rejectUnread, rejectUnseen } from './current-content.ts'
import { currentInEditor, type EditorFiles, writeInEditor } from './editor-files.ts'
import { fileError } from './file-error.ts'
import type { FileStates } from './file-states.ts'
import { missingFile } from './missing-file.ts'
import { pinFolder } from './pin-folder.ts'
import { replaceContent } from './replace-content.ts'

export interface FileChange {
  /** `null`: the file already has this content. */
  readonly content: Buffer | null
  /** For the model. */
  readonly message: string
}

export interface ChangeOptions {
  readonly location: FileLocation
  readonly states: FileStates
  readonly editor: EditorFiles | undefined
  readonly context: Pick<ToolContext, 'uid' | 'signal'>
  /** Whether the file, and folders on the way, are created if they do not exist, and an existing file has to be read completely. */
  readonly replaces: boolean
  /** Computes the new content. Throws if that is not possible. */
  readonly change: (current: CurrentContent | null) => FileChange
}

/** Reads a file, checks that the model knows it, and replaces its content. Whatever fails, the file is then unchanged. */
export async function changeFile(options: ChangeOptions): Promise<string> {
  const { location, states, editor, context, replaces, change } = options
  const { uid, signal } = context
  const { realPath, shownPath } = location
  const previewed = states.takePreview(uid)
  let isKnown = false
  try {
    const folders = await (replaces ? createFolders : existingFolder)(dirname(realPath))
    try {
      const onDisk = await currentContent(folders.folder, location)
      const current = await currentInEditor(editor, location, onDisk, signal)
      isKnown = current !== null
      const state = states.get(realPath)
      // The next call knows that it does not exist.
      if (current === null) states.forget(realPath)
      rejectUnread(current, state, location, replaces)
      rejectUnseen(current, previewed, location)
      const { content, message } = change(current)
      if (content === null) return message
      const written =
        (await writeInEditor(editor, location, current, content, signal)) ??
        (await replaceContent(folders.folder, { location, current: onDisk, content, signal }))
      const linesRead = replaces ? undefined : state?.linesRead
      states.update(realPath, written, linesRead ?? Number.POSITIVE_INFINITY)
      return message
    } catch (error) {
      await folders.undo()
      throw error
    } finally {
      await folders.close()
    }
  } catch (error) {
    if (signal.aborted) throw error
    const missing = replaces ? null : await missingFile(error, location)
    if (missing !== null) throw missing
    throw fileError(error, shownPath, isKnown ? 'the file is unchanged' : 'nothing was written')
  }
}

async function existingFolder(realPath: string): Promise<CreatedFolders> {
  const folder = await pinFolder(realPath)
  return { folder, undo: async () => {}, close: () => folder.close() }
}

/** What a change would do, without checking whether the model knows the file. */
export async function contentForPreview(
  location: FileLocation,
  editor: EditorFiles | undefined,
  signal: ToolContext['signal'],
): Promise<CurrentContent | null> {
  try {
    const folder = await pinFolder(dirname(location.realPath))
    try {
      return await currentInEditor(editor, location, await currentContent(folder, location), signal)
    } finally {
      await folder.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw (await missingFile(error, location)) ?? fileError(error, location.shownPath)
  }
}

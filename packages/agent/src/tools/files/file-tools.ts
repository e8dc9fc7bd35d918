import type { Tool } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { editFileTool } from './edit-file-tool.ts'
import type { EditorFiles } from './editor-files.ts'
import { FileStates } from './file-states.ts'
import { listDirectoryTool } from './list-directory-tool.ts'
import { readFileTool } from './read-file-tool.ts'
import { writeFileTool } from './write-file-tool.ts'

export interface FileToolOptions {
  /** Text files are read and written through it. */
  readonly editor?: EditorFiles | undefined
}

/** The tools that read and change single files. They share what was read, so create them once per agent. */
export function fileTools(workspace: Workspace, { editor }: FileToolOptions = {}): readonly Tool[] {
  const states = new FileStates()
  return [
    readFileTool(workspace, states, editor),
    writeFileTool(workspace, states, editor),
    editFileTool(workspace, states, editor),
    listDirectoryTool(workspace),
  ]
}

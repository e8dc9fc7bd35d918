import type { Tool } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { editFileTool } from './edit-file-tool.ts'
import { FileStates } from './file-states.ts'
import { listDirectoryTool } from './list-directory-tool.ts'
import { readFileTool } from './read-file-tool.ts'
import { writeFileTool } from './write-file-tool.ts'

/** The tools that read and change single files. They share what was read, so create them once per agent. */
export function fileTools(workspace: Workspace): readonly Tool[] {
  const states = new FileStates()
  return [
    readFileTool(workspace, states),
    writeFileTool(workspace, states),
    editFileTool(workspace, states),
    listDirectoryTool(workspace),
  ]
}

import type { Workspace } from '../../workspace/workspace.ts'

/** The resource key of a file: the same for every path that leads to it. */
export function fileKey(workspace: Workspace, path: string): string {
  const { realPath, problem } = workspace.locate(path)
  return `file:${problem === null ? realPath : path}`
}

import type { Tool } from '@curfew/core'
import type { Workspace } from '../../workspace/workspace.ts'
import { findFilesTool } from './find-files-tool.ts'
import { findRipgrep, howToGetRipgrep } from './find-ripgrep.ts'
import { searchFilesTool } from './search-files-tool.ts'

export interface SearchToolsOptions {
  /**
   * The path of a ripgrep program; `null` to search without it.
   * @default the one that was installed with Curfew, or the one on the PATH, if there is one
   */
  readonly ripgrep?: string | null | undefined
}

/** `find_files` and `search_files`. */
export function searchTools(workspace: Workspace, options: SearchToolsOptions = {}): readonly Tool[] {
  let found: Promise<string | null> | undefined
  const ripgrep = (): Promise<string | null> => {
    found ??= options.ripgrep === undefined ? findRipgrep() : Promise.resolve(options.ripgrep)
    return found
  }
  const hint = options.ripgrep === undefined ? howToGetRipgrep : null
  return [findFilesTool(workspace), searchFilesTool(workspace, ripgrep, hint)]
}

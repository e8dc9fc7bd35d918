import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { attempt } from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { fromFilePath } from './file-path.ts'
import type { GlobFilter } from './glob-filter.ts'
import { type Collected, MatchCollector } from './match-collector.ts'
import { searchWithRipgrep } from './ripgrep-search.ts'
import { searchInThread } from './search-in-thread.ts'
import { lineExpression, type SearchQuery } from './search-query.ts'
import type { SearchRoot } from './search-root.ts'

/** Larger files are logs and data. They would have to be kept in memory. */
export const maxFileBytes: number = 16 * 2 ** 20

/** The parameters of `search_files` that decide what is found. */
export interface SearchFilesParams {
  readonly pattern: string
  readonly globs: readonly string[]
  readonly literal: boolean
  readonly ignore_case: boolean
  readonly include_hidden: boolean
  readonly context_lines: number
  readonly max_results: number
}

export interface Search {
  readonly workspace: Workspace
  readonly root: SearchRoot
  readonly params: SearchFilesParams
  readonly query: SearchQuery
  readonly filter: GlobFilter
  /** The path of ripgrep; `null` to search with JavaScript's regular expressions. */
  readonly program: string | null
  /** For the user, if `program` is `null`. */
  readonly whyNoRipgrep: string
}

/** Searches with ripgrep, or in a thread of this process, which takes longer, if it is absent or fails. */
export async function runSearch(
  options: Search,
  signal: AbortSignal,
  ownSearch: typeof searchInThread = searchInThread,
): Promise<Collected> {
  const { root, params, query, filter, program, whyNoRipgrep } = options
  const max = params.max_results
  const shared = { maxMatches: max, context: params.context_lines, patterns: params.globs }
  const { inRepository, globalExcludes } = root
  if (program !== null) {
    const collector = collectorOf(options, (path) => !isTooLarge(join(root.folder, path)))
    const used = await searchWithRipgrep(
      {
        ...shared,
        ...query,
        program,
        root: root.folder,
        entersHidden: filter.entersHidden,
        inRepository,
        globalExcludes,
      },
      collector,
      signal,
    )
    if (used) return collector.finish()
  }
  const collector = collectorOf(options)
  const input = {
    ...shared,
    maxFileBytes,
    root: fromFilePath(root.folder),
    includeHidden: params.include_hidden,
    inRepository,
    globalExcludes,
    file: root.file === null ? null : fromFilePath(basename(root.file)),
    expression: lineExpression(query, program === null ? whyNoRipgrep : 'it failed'),
  }
  await ownSearch(input, collector, signal)
  return collector.finish()
}

function collectorOf(
  { workspace, root, params, filter }: Search,
  alsoAccepts: (path: string) => boolean = () => true,
): MatchCollector {
  return new MatchCollector({
    max: params.max_results,
    context: params.context_lines,
    accepts: (path) =>
      (root.file !== null || filter.matches(path.split('/'))) &&
      workspace.secretPattern(join(root.folder, path)) === null &&
      alsoAccepts(path),
  })
}

function isTooLarge(path: string): boolean {
  return attempt(() => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxFileBytes, true)
}

import { basename } from 'node:path'
import { CurfewError, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { Workspace } from '../../workspace/workspace.ts'
import { fromFilePath } from './file-path.ts'
import { GlobFilter } from './glob-filter.ts'
import { MatchCollector } from './match-collector.ts'
import { searchInThread } from './search-in-thread.ts'
import { limitSearch } from './search-limit.ts'
import { formatPath, plural } from './search-report.ts'
import { openSearchRoot } from './search-root.ts'

/** What `find_files` returns. */
export interface FilesReport {
  /** Sorted. */
  readonly files: readonly string[]
  /** All matching files, including those that are not in `files`. */
  readonly fileCount: number
  readonly searched: string
}

export function findFilesTool(workspace: Workspace): Tool<never, FilesReport> {
  return defineToolFrom(
    {
      name: 'find_files',
      title: 'Find files',
      description: 'Find files whose paths match glob patterns.',
      usage:
        "Use it to find files by their name or folder. To search their contents, use 'search_files'; to list one folder with its subfolders, use 'list_directory'. " +
        'Returns the paths sorted, one per line, and how many more there are. Ignored files (.gitignore, .ignore), hidden files that no pattern names and links are left out. ' +
        'A pattern that leads out of path is reported as an error.',
      parameters: objectSchema(['patterns'], {
        patterns: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 1_000 },
          minItems: 1,
          maxItems: 20,
          description:
            'Globs such as "*.ts" (in any folder), "src/**/*.ts" (relative to path), "{a,b}.json" or ".github/**"; "!*.test.ts" excludes.',
        },
        path: described(
          { type: 'string', minLength: 1, default: '.' },
          'The folder to search, relative to the root of the workspace. Also searched if it is ignored.',
        ),
        include_hidden: described(
          { type: 'boolean', default: false },
          'Also find files and folders whose names start with a dot, except .git.',
        ),
        max_results: described(
          { type: 'integer', minimum: 1, maximum: 5_000, default: 200 },
          'The maximum number of paths to return.',
        ),
      }),
      readOnly: true,
      concurrent: true,
      idempotent: true,
      destructive: false,
      openWorld: false,
      restrict: ({ path }) => workspace.restrictRead(path),
      async execute({ patterns, path, include_hidden, max_results }, context) {
        // Checked here, where an error can be thrown; the thread checks paths.
        new GlobFilter(patterns, include_hidden, 'patterns')
        const root = openSearchRoot(workspace, path)
        if (root.file !== null)
          throw new CurfewError(
            'INVALID_PARAMS',
            `path: expected a folder, got the file ${root.shownPath}; pass ${JSON.stringify(basename(root.file))} as a pattern instead`,
            { field: 'path', hadNoEffect: true },
          )
        const collector = new MatchCollector({ max: max_results, context: 0, accepts: () => true })
        const limit = limitSearch('find_files', 'search in a smaller path', context)
        try {
          await searchInThread(
            {
              root: fromFilePath(root.folder),
              patterns,
              includeHidden: include_hidden,
              inRepository: root.inRepository,
              globalExcludes: root.globalExcludes,
              file: null,
              expression: null,
              maxFileBytes: 0,
              maxMatches: 0,
              context: 0,
            },
            collector,
            limit.signal,
          )
        } finally {
          limit.dispose()
        }
        const { files, fileCount } = collector.finish()
        return { files: files.map((file) => root.show(file.path)), fileCount, searched: root.shownPath }
      },
    },
    { adapter: 'builtin', textOf: (report) => formatFilesReport(report as FilesReport) },
  )
}

function formatFilesReport({ files, fileCount, searched }: FilesReport): string {
  if (fileCount === 0)
    return `No file matches in ${searched}. Ignored and hidden files are not found; for hidden ones, pass include_hidden or a pattern that starts with a dot.`
  const left = fileCount - files.length
  const paths = files.map(formatPath).join('\n')
  return left === 0
    ? paths
    : `${paths}\n\n[${plural(left, 'more file')}. Pass more specific patterns or a larger max_results.]`
}

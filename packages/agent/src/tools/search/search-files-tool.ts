import { statSync } from 'node:fs'
import { CurfewError, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import { sandboxedWorkspaces } from '../../workspace/placeholders.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { GlobFilter } from './glob-filter.ts'
import { maxFileBytes, runSearch } from './run-search.ts'
import { limitSearch } from './search-limit.ts'
import { searchQuery } from './search-query.ts'
import { formatSearchReport, type SearchReport, searchReport } from './search-report.ts'
import { openSearchRoot, type SearchRoot } from './search-root.ts'

const advice =
  'search in a smaller path, pass globs, or simplify the pattern: nested repetitions such as (a+)+ can take forever'

/** `ripgrep` resolves to its path, or to `null` if there is none. `howToGetRipgrep` is then added to the first result. */
export function searchFilesTool(
  workspace: Workspace,
  ripgrep: () => Promise<string | null>,
  howToGetRipgrep: string | null,
): Tool<never, SearchReport> {
  let advertised = howToGetRipgrep
  return defineToolFrom(
    {
      name: 'search_files',
      title: 'Search files',
      description: 'Search the lines of text files for a regular expression or a string.',
      usage:
        "Use it to find where something is defined or used. To find files by their name, use 'find_files'; to read a file, use 'read_file'. " +
        'Returns the matching lines with their numbers, grouped by file and sorted by path, and how many there are in total. ' +
        'Each line is matched separately, in the syntax of ripgrep, without look-around and backreferences. Ignored files (.gitignore, .ignore), hidden files, binary files, files over 16 MiB, links and ' +
        'files that may contain secrets are not searched. An invalid pattern is reported as an error.',
      parameters: objectSchema(['pattern'], {
        pattern: described(
          { type: 'string', minLength: 1, maxLength: 1_000 },
          'A regular expression such as "function \\w+Handler", or a string with literal: true.',
        ),
        path: described(
          { type: 'string', minLength: 1, default: '.' },
          'The folder or file to search, relative to the root of the workspace. Also searched if it is ignored.',
        ),
        globs: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 1_000 },
          maxItems: 20,
          default: [],
          description:
            'Search only files that match one of these, such as "*.ts" (in any folder) or "src/**/*.ts" (relative to path); "!*.test.ts" excludes.',
        },
        literal: { type: 'boolean', default: false, description: 'Search for the pattern as it is.' },
        ignore_case: described({ type: 'boolean', default: false }, 'Treat upper and lower case as equal.'),
        include_hidden: described(
          { type: 'boolean', default: false },
          'Also search files and folders whose names start with a dot, except .git.',
        ),
        context_lines: described(
          { type: 'integer', minimum: 0, maximum: 10, default: 0 },
          'How many lines to return before and after each matching line.',
        ),
        max_results: described(
          { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
          'The maximum number of matching lines to return.',
        ),
      }),
      readOnly: true,
      concurrent: true,
      idempotent: true,
      destructive: false,
      openWorld: false,
      restrict: ({ path }) => workspace.restrictRead(path),
      async execute(params, context) {
        const query = searchQuery(params.pattern, params.literal, params.ignore_case)
        const filter = new GlobFilter(params.globs, params.include_hidden, 'globs')
        const root = openSearchRoot(workspace, params.path)
        checkSize(root)
        const isSandboxed = sandboxedWorkspaces.has(workspace)
        const isUsable = root.file === null && !isSandboxed
        const program = isUsable ? await ripgrep() : null
        const isMissing = isUsable && program === null && howToGetRipgrep !== null
        const limit = limitSearch(
          'search_files',
          isMissing ? `${advice}; ${howToGetRipgrep}` : advice,
          context,
        )
        try {
          const whyNoRipgrep = isMissing
            ? howToGetRipgrep
            : isUsable
              ? 'it is turned off'
              : `it is not used ${isSandboxed ? 'next to the sandbox' : 'for a single file'}`
          const search = { workspace, root, params, query, filter, program, whyNoRipgrep }
          const found = await runSearch(search, limit.signal)
          const note = isMissing ? advertised : null
          if (note !== null) advertised = null
          const shown = {
            ...found,
            files: found.files.map((file) => ({ ...file, path: root.show(file.path) })),
          }
          return { ...searchReport(shown, root.shownPath), note }
        } finally {
          limit.dispose()
        }
      },
    },
    { adapter: 'builtin', textOf: (report) => formatSearchReport(report as SearchReport) },
  )
}

function checkSize({ file, shownPath }: SearchRoot): void {
  if (file === null || statSync(file).size <= maxFileBytes) return
  throw new CurfewError(
    'INVALID_PARAMS',
    `path: expected a file of at most 16 MiB, got ${shownPath}, which is larger; search it with a command such as grep`,
    { field: 'path', hadNoEffect: true },
  )
}

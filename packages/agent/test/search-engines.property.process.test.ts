import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWorkspace } from '@curfew/agent/tools'
import { messageOf } from '@curfew/core/internal'
import { rgPath } from '@vscode/ripgrep'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { FileSearcher } from '../src/tools/search/file-searcher.ts'
import { GlobFilter } from '../src/tools/search/glob-filter.ts'
import { runSearch } from '../src/tools/search/run-search.ts'
import type { searchInThread } from '../src/tools/search/search-in-thread.ts'
import { searchQuery } from '../src/tools/search/search-query.ts'
import { openSearchRoot } from '../src/tools/search/search-root.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { type SearchCase, type SearchParams, searchCase } from './support/search-arbitrary.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-engines-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Ripgrep as `npm ci` installs it, and others to compare with. */
const programs = [rgPath, ...(process.env.CURFEW_TEST_RIPGREP?.split(':') ?? [])]

test('the search without ripgrep finds the same, in any tree and for any pattern that it accepts', {
  timeout: 600_000,
}, async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(searchCase, async (generated) => {
      const root = join(folder, String(++number))
      writeTree(root, generated)
      const workspace = createWorkspace({ root })
      try {
        for (const params of generated.searches) {
          const own = await search(workspace, params, null, searchHere)
          // A repetition of an anchor, which JavaScript rejects.
          if (own === rejected) continue
          for (const program of programs)
            expect({ program, params, found: await search(workspace, params, program, failed) }).toEqual({
              program,
              params,
              found: own,
            })
        }
      } finally {
        rmSync(root, { recursive: true, force: true })
      }
    }),
    { numRuns: scaled(40), endOnFailure: true },
  )
})

const rejected = Symbol('rejected')

async function search(
  workspace: Workspace,
  params: SearchParams,
  program: string | null,
  ownSearch: typeof searchInThread,
): Promise<unknown> {
  try {
    const query = searchQuery(params.pattern, params.literal, params.ignore_case)
    const filter = new GlobFilter(params.globs, params.include_hidden, 'globs')
    const root = openSearchRoot(workspace, params.path)
    const signal = new AbortController().signal
    const options = { workspace, root, params, query, filter, program, whyNoRipgrep: '' }
    return await runSearch(options, signal, ownSearch)
  } catch (error) {
    const message = messageOf(error)
    return message.startsWith('pattern: expected a regular expression, got an error without')
      ? rejected
      : message
  }
}

/** Without a thread, which takes longer to start than such a tree to search. */
const searchHere: typeof searchInThread = async (options, collector) => {
  const searcher = new FileSearcher(options)
  for (let found = searcher.next(null); found !== null; found = searcher.next(collector.cutoff))
    for (const file of found) if (collector.accepts(file.path)) collector.add(file)
}

const failed: typeof searchInThread = () => Promise.reject(new Error('ripgrep failed'))

function writeTree(root: string, { tree, isRepository }: SearchCase): void {
  mkdirSync(root)
  if (isRepository) mkdirSync(join(root, '.git'))
  for (const [path, bytes] of Object.entries(tree)) {
    try {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), bytes)
    } catch {
      // A file where another one needs a folder.
    }
  }
}

import { runProcess } from '@curfew/core/internal'
import type { FileSearchOptions } from './file-searcher.ts'
import type { MatchCollector } from './match-collector.ts'
import { RipgrepOutput } from './ripgrep-output.ts'
import { invalidPattern, type SearchQuery } from './search-query.ts'

export interface RipgrepOptions
  extends Pick<FileSearchOptions, 'root' | 'context' | 'maxMatches' | 'patterns' | 'inRepository'>,
    SearchQuery {
  readonly program: string
  readonly entersHidden: boolean
  /** A file that exists; `null` if there is none. */
  readonly globalExcludes: string | null
}

const maxMemoryKiB = 2 * 2 ** 20

/** Resolves to false if ripgrep could not be used, because it crashed or ran out of memory. Throws `INVALID_PARAMS` if it rejects the pattern. */
export async function searchWithRipgrep(
  options: RipgrepOptions,
  collector: MatchCollector,
  signal: AbortSignal,
): Promise<boolean> {
  const output = new RipgrepOutput(collector, options.maxMatches)
  let isReadable = true
  const result = await runProcess({
    argv: withMemoryLimit([options.program, ...argumentsOf(options)]),
    cwd: options.root,
    containment: 'markers',
    signal,
    onOutput: (chunk, stream) => {
      if (stream === 'stderr' || !isReadable) return
      try {
        output.push(chunk)
      } catch {
        // Thrown here, it would end the process.
        isReadable = false
      }
    },
  })
  signal.throwIfAborted()
  output.end()
  if (result.exitCode === 2) rejectInvalidPattern(result.stderr.toString())
  // With 2, some files could not be read, unless there is a message.
  const isDone =
    result.exitCode === 0 || result.exitCode === 1 || (result.exitCode === 2 && result.stderr.bytes === 0)
  return result.outcome === 'exited' && isDone && isReadable
}

function rejectInvalidPattern(message: string): void {
  const [, problem] = /^error: (.+)/m.exec(message) ?? /^rg: (.*\bregex\b.*)/m.exec(message) ?? []
  if (/\bregex\b/.test(message) && problem !== undefined)
    throw invalidPattern(`expected a regular expression in the syntax of ripgrep, got an error: ${problem}`)
}

/** Ripgrep reads whole lines, so a huge file without line breaks would need as much memory. `--max-filesize` takes 20 % longer. */
function withMemoryLimit(argv: [string, ...string[]]): [string, ...string[]] {
  if (process.platform === 'win32') return argv
  return ['/bin/sh', '-c', `ulimit -v ${maxMemoryKiB} 2>/dev/null; exec "$0" "$@"`, ...argv]
}

function argumentsOf(options: RipgrepOptions): string[] {
  const { context, globalExcludes } = options
  return [
    '--no-config',
    '--no-messages',
    '--color=never',
    '--heading',
    '--null',
    '--line-number',
    '--column',
    '--field-match-separator=\\x00',
    '--no-mmap',
    // A carriage return before the line break belongs to it.
    '--crlf',
    options.ignoresCase ? '--ignore-case' : '--case-sensitive',
    ...(options.isLiteral ? ['--fixed-strings'] : []),
    ...(context > 0 ? [`--context=${context}`, '--no-context-separator'] : []),
    ...(options.entersHidden ? ['--hidden', '--glob=!.git'] : []),
    ...(options.inRepository ? [] : ['--no-require-git']),
    '--no-ignore-global',
    ...(globalExcludes === null ? [] : [`--ignore-file=${globalExcludes}`]),
    ...typeArguments(options.patterns),
    `--regexp=${options.pattern}`,
    './',
  ]
}

/** `--glob` would include files that are ignored. A type does not, but it only tests names: the collector tests the paths. */
function typeArguments(patterns: readonly string[]): string[] {
  const names = patterns
    .filter((pattern) => !pattern.startsWith('!'))
    .map((pattern) => pattern.split('/').at(-1)!)
  if (names.length === 0 || names.some((name) => !/^[\w.*-]+$/.test(name) || name.includes('**'))) return []
  return [...names.map((name) => `--type-add=curfew:${name}`), '--type=curfew']
}

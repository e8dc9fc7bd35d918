import { fileURLToPath } from 'node:url'
import { runProcess, textOfHtml } from '@curfew/core/internal'

/** A page that needs more is not worth waiting for. */
const maxMs = 10_000
const maxHeapMiB = 512
const maxOutputBytes = 8 << 20

export interface ConvertOptions {
  /** The address of the page. */
  readonly url: string
  readonly signal: AbortSignal
  /** The remaining time of the call. */
  readonly remainingMs: number
}

export interface ConvertedPage {
  readonly text: string
  /** Why it is plain text instead of Markdown; `null` if it is Markdown. */
  readonly problem: string | null
}

/**
 * Converts a page to Markdown in a process of its own: nesting and misnested tags can make a parser need hours and gigabytes, and a thread
 * that runs out of memory ends the whole program.
 */
export async function convertHtml(
  html: string,
  { url, signal, remainingMs }: ConvertOptions,
): Promise<ConvertedPage> {
  const program = fileURLToPath(new URL('./html-to-markdown-main.js', import.meta.url))
  const { outcome, exitCode, stdout } = await runProcess({
    argv: [process.execPath, `--max-old-space-size=${maxHeapMiB}`, program],
    stdin: { text: JSON.stringify({ html, url }) },
    timeoutMs: Math.max(1, Math.min(maxMs, remainingMs / 2)),
    maxOutputBytes,
    signal,
  })
  if (signal.aborted) throw signal.reason
  if (exitCode === 0 && !stdout.truncated) return { text: stdout.toString(), problem: null }
  const problem = outcome === 'timed_out' ? 'it takes too long' : 'it is too large or too deeply nested'
  return { text: textOfHtml(html), problem }
}

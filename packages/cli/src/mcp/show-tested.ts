import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { describeWaiting, type ServerListing } from '@curfew/mcp'
import { count, hang, neutralise, oneLine } from '../terminal.ts'
import type { ServerReport } from './gateway-status.ts'

/** The result of starting one server. */
export interface Tested extends Pick<ServerReport, 'name' | 'changed' | 'added' | 'updated'> {
  readonly ms: number
  readonly outcome: { readonly listing: ServerListing } | { readonly error: string }
  /** Problems of tools that were left out. */
  readonly leftOut: readonly string[]
}

interface Layout {
  /** The width of the longest name. */
  readonly nameWidth: number
  /** The width of the terminal, if any. */
  readonly columns: number | undefined
}

const indent = '    '

/** Formats a result for the terminal: a line, followed by notes. */
export function showTested(tested: Tested, layout: Layout): string {
  const { name, ms, outcome } = tested
  const title = `${name.padEnd(layout.nameWidth)}  ${formatDuration(ms).padEnd(7)}`
  const [mark, lines] =
    'error' in outcome
      ? [styleText('red', '✗'), neutralise(outcome.error).trim().split('\n')]
      : [styleText('green', '✓'), [describeListing(outcome.listing)]]
  const shown = lines.flatMap((line, index) =>
    hang(index === 0 ? `${mark} ${title} ` : indent, line, layout.columns, indent.length),
  )
  return [...shown, ...notes(tested, layout)].map((line) => `${line}\n`).join('')
}

function describeListing({ protocolVersion, server, ...lists }: ServerListing): string {
  const { tools, prompts, resources, templates } = lists
  const who = server === null ? '' : `${oneLine(`${server.name} ${server.version}`)}, `
  const others = [
    { number: prompts.length, word: 'prompt' },
    { number: resources.length + templates.length, word: 'resource' },
  ].filter(({ number }) => number > 0)
  const counts = [count(tools.length, 'tool'), ...others.map(({ number, word }) => count(number, word))]
  return `${who}protocol ${protocolVersion}: ${counts.join(', ')}`
}

function notes({ name, updated, leftOut, ...waiting }: Tested, { columns }: Layout): string[] {
  const mark = styleText('yellow', '!')
  return [
    leftOut,
    updated.length === 0 ? [] : `new or changed, and used: ${updated.map(oneLine).join(', ')}`,
    describeWaiting(name, waiting) ?? [],
  ]
    .flat()
    .flatMap((text) => hang(`  ${mark} `, text, columns, indent.length))
}

/** Formats a result for `--json`. */
export function testedToJson({ name, ms, outcome, changed, added, updated, leftOut }: Tested): object {
  const durationMs = Math.round(ms)
  if ('error' in outcome) return { name, ok: false, durationMs, error: outcome.error }
  const { protocolVersion, server, tools, prompts, resources, templates } = outcome.listing
  return {
    name,
    ok: true,
    durationMs,
    protocolVersion,
    server,
    tools: tools.length,
    prompts: prompts.length,
    resources: resources.length,
    resourceTemplates: templates.length,
    changed,
    added,
    updated,
    leftOut,
  }
}

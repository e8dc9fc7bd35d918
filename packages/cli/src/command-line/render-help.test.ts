import { expect, it } from 'vitest'
import { defineCommand } from '../command.ts'
import { curfewCommand } from '../commands/curfew-command.ts'
import { allCommands } from './all-commands.ts'
import { renderHelp } from './render-help.ts'

it('renders every part of a declaration', () => {
  const command = defineCommand({
    name: 'serve',
    summary: 'Serve files',
    description: ['A paragraph.'],
    arguments: {
      folder: { placeholder: 'FOLDER', summary: 'What to serve', optional: true },
    },
    options: {
      port: {
        type: 'integer',
        short: 'p',
        placeholder: 'N',
        default: 80,
        requires: ['http'],
        summary: 'Listen on this port',
      },
      header: { type: 'string', multiple: true, placeholder: "'NAME: SOME-LONG-VALUE'", summary: 'A header' },
      http: { type: 'boolean', summary: 'Use HTTP' },
    },
    notes: ['A note.'],
    examples: { 'curfew serve .': 'Serve this folder.' },
    exitCodes: { 0: 'Served', 3: 'Not found' },
    seeAlso: ['curfew tools'],
    guide: 'serve.md',
    run: async () => 0,
  })
  expect(renderHelp(command, 'curfew serve', '/docs')).toBe(`Usage: curfew serve [OPTIONS] [FOLDER]

Serve files.

A paragraph.

Arguments:
  FOLDER  What to serve

Options:
  -p, --port N  Listen on this port (default: 80; requires --http)
  --header 'NAME: SOME-LONG-VALUE'
                A header (repeatable)
  --http        Use HTTP
  -h, --help    Show this help

A note.

Examples:
  curfew serve .
      Serve this folder.

Exit codes:
  0  Served
  3  Not found

See also:
  curfew tools --help
  /docs/serve.md
`)
})

it.each(allCommands(curfewCommand).map(({ command, path }) => [path, command] as const))(
  'the help of %s fits into 80 columns',
  (path, command) => {
    const lines = renderHelp(command, path, 'docs').split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([])
  },
)

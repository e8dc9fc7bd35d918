import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { showTested, type Tested, testedToJson } from './show-tested.ts'

const tested: Tested = {
  name: 'docs',
  ms: 312,
  outcome: {
    listing: {
      protocolVersion: '2025-11-25',
      server: { name: 'docs-server', version: '1.0' },
      tools: [],
      prompts: [],
      resources: [],
      templates: [],
    } as unknown as Extract<Tested['outcome'], { listing: unknown }>['listing'],
  },
  changed: ['search', 'fetch_page', 'list_sections'],
  added: ['translate'],
  updated: ['summarize'],
  leftOut: ['the tool bad name was left out: expected letters, digits, _ and -'],
}

test('shows changes and problems within the terminal', () => {
  const shown = showTested(tested, { nameWidth: 4, columns: 60 })
  expect(stripVTControlCharacters(shown)).toBe(
    [
      '✓ docs  312 ms  docs-server 1.0, protocol 2025-11-25: 0',
      '    tools',
      '  ! the tool bad name was left out: expected letters,',
      '    digits, _ and -',
      '  ! new or changed, and used: summarize',
      '  ! 1 new tool and 3 changed definitions wait for approval:',
      '    curfew mcp approve docs',
      '',
    ].join('\n'),
  )
  expect(testedToJson(tested)).toMatchObject({ updated: ['summarize'] })
})

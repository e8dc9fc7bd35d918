import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './gateway/eventually.ts'
import { everything, filesystem, memory, sequentialThinking } from './gateway/programs.ts'
import { type Servers, startCurfew } from './gateway/start-curfew.ts'
import type { Findings } from './report.ts'

const views = ['stub', 'brief', 'full'] as const
/** One tool of each server: the list is complete once it contains all of them. */
const tools = [
  'everything__echo',
  'filesystem__read_text_file',
  'memory__create_entities',
  'thinking__sequentialthinking',
]

type View = (typeof views)[number]

/** How much of a model's context the gateway's tool list uses. */
export async function measureTokens(): Promise<Findings> {
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  try {
    const servers: Servers = {
      everything: [...everything, 'stdio'],
      filesystem: [...filesystem, home],
      memory,
      thinking: sequentialThinking,
    }
    const lists = {} as Record<View, string>
    for (const view of views) lists[view] = await listTools(home, servers, view)
    const size = (view: View): number => lists[view].length
    return {
      targets: [
        {
          name: 'stub, less than full',
          figure: (1 - size('stub') / size('full')) * 100,
          unit: '%',
          atLeast: 70,
        },
      ],
      information: [
        { name: 'brief, less than full', figure: (1 - size('brief') / size('full')) * 100, unit: '%' },
      ],
      tables: [
        {
          title: 'the result of tools/list, all four servers',
          head: ['view', 'tools', 'characters', 'tokens, estimated'],
          rows: views.map((view) => [
            view,
            String((JSON.parse(lists[view]) as { tools: unknown[] }).tools.length),
            String(size(view)),
            String(Math.round(size(view) / 4)),
          ]),
        },
      ],
      notes: ['tokens are estimated: a quarter of the characters; no tokeniser was used'],
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function listTools(home: string, servers: Servers, view: View): Promise<string> {
  const client = await startCurfew(home, servers, ['--view', view])
  try {
    return await eventually(async () => {
      const list = JSON.stringify(await client.request('tools/list', {}))
      const missing = tools.filter((name) => !list.includes(name))
      if (missing.length > 0) throw new Error(`missing from the tool list: ${missing.join(', ')}`)
      return list
    })
  } finally {
    client.close()
  }
}

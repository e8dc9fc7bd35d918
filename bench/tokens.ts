import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { eventually } from './gateway/eventually.ts'
import type { Servers } from './gateway/mcp-servers.ts'
import { everything, filesystem, memory, sequentialThinking } from './gateway/programs.ts'
import { startCurfew } from './gateway/start-curfew.ts'
import type { Findings } from './report.ts'

const views = ['stub', 'brief', 'full'] as const

type View = (typeof views)[number]

/** The servers whose tools are listed. */
interface Corpus {
  readonly title: string
  readonly servers: Servers
  /** The list is complete once it contains these names. */
  readonly tools: readonly string[]
  readonly targets: (size: (view: View) => number) => Findings['targets']
}

/** How much of a model's context the gateway's tool list uses. With `--lists DIR`, for the `tools/list` results in that folder. */
export async function measureTokens(args: readonly string[]): Promise<Findings> {
  const { values } = parseArgs({ args: [...args], options: { lists: { type: 'string' } }, strict: false })
  const home = await mkdtemp(join(tmpdir(), 'curfew-bench-'))
  try {
    const corpus = typeof values.lists === 'string' ? storedLists(values.lists) : referenceServers(home)
    const lists = {} as Record<View, string>
    for (const view of views) lists[view] = await listTools(home, corpus, view)
    const size = (view: View): number => Buffer.byteLength(lists[view])
    return {
      targets: corpus.targets(size),
      information: [
        { name: 'brief, part of full', figure: (size('brief') / size('full')) * 100, unit: '%' },
        { name: 'stub, part of full', figure: (size('stub') / size('full')) * 100, unit: '%' },
      ],
      tables: [
        {
          title: `the result of tools/list, ${corpus.title}`,
          head: ['view', 'tools', 'bytes', 'tokens, estimated'],
          rows: views.map((view) => [
            view,
            String((JSON.parse(lists[view]) as { tools: unknown[] }).tools.length),
            String(size(view)),
            String(Math.round(size(view) / 4)),
          ]),
        },
      ],
      notes: ['tokens are estimated: a quarter of the bytes; no tokeniser was used'],
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

function referenceServers(home: string): Corpus {
  return {
    title: 'four reference servers',
    servers: {
      everything: [...everything, 'stdio'],
      filesystem: [...filesystem, home],
      memory,
      thinking: sequentialThinking,
    },
    tools: [
      'everything__echo',
      'filesystem__read_text_file',
      'memory__create_entities',
      'thinking__sequentialthinking',
    ],
    targets: (size) => [
      {
        name: 'stub, less than full',
        figure: (1 - size('stub') / size('full')) * 100,
        unit: '%',
        atLeast: 70,
      },
    ],
  }
}

/** Each JSON file in the folder is the list of one server. */
function storedLists(folder: string): Corpus {
  const program = fileURLToPath(new URL('./tokens/listed-server.ts', import.meta.url))
  const lists = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const path = resolve(folder, file)
      const { tools } = JSON.parse(readFileSync(path, 'utf8')) as { tools: readonly { name: string }[] }
      // Valid as the name of a server.
      const server = basename(file, '.json').replace(/[^A-Za-z0-9-]+/g, '-')
      return { server, path, last: tools.at(-1)?.name }
    })
  return {
    title: `${lists.length} servers`,
    servers: Object.fromEntries(
      lists.map(({ server, path }) => [server, [process.execPath, program, path] as const]),
    ),
    tools: lists.flatMap(({ server, last }) => (last === undefined ? [] : [`"mcp__${server}__${last}`])),
    targets: (size) => [
      {
        name: 'brief, part of full',
        figure: (size('brief') / size('full')) * 100,
        unit: '%',
        atMost: 33.3,
      },
    ],
  }
}

async function listTools(home: string, { servers, tools }: Corpus, view: View): Promise<string> {
  const client = await startCurfew(home, servers, ['--view', view, '--name-limit', '128'])
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

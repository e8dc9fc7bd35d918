import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import { configError } from '@curfew/extensions/internal'
import { openUpstreams, unattendedBridge } from '@curfew/mcp'
import {
  defaultStartTimeoutMs,
  readServer,
  type ServerConfig,
  type StdioTarget,
  serverDefaults,
} from '@curfew/mcp/config'
import { splitShellWords, Untranslatable } from '../new/split-shell-words.ts'
import { clearLine, oneLine } from '../terminal.ts'
import { toolOfServer } from './list-source.ts'
import type { ToolSource } from './tool-source.ts'
import { wrong } from './wrong.ts'

/** An MCP server that is started, or asked, only to see its tools. Nothing of it is remembered. */
export async function liveSource(given: string, startTimeoutMs: number | undefined): Promise<ToolSource> {
  const server = serverOf(given, startTimeoutMs)
  const folder = await mkdtemp(join(tmpdir(), 'curfew-review-'))
  const said = new Set<string>()
  const [upstream] = await openUpstreams([server], {
    stateFolder: folder,
    // Problems of tools are in `toolProblems`.
    log: (message, topic) => {
      if (topic !== 'tools') said.add(oneLine(message))
    },
    startTimeoutName: '--timeout',
    bridgeFor: () => unattendedBridge,
  })
  const live = process.stderr.isTTY && process.stdout.isTTY
  if (live) process.stderr.write(`${clearLine}starting ${server.name} …`)
  try {
    const connected = upstream!.connect(new AbortController().signal)
    await connected.catch((error: unknown) => {
      if (live) process.stderr.write(clearLine)
      throw wrong(oneLine(messageOf(error)))
    })
    if (live) process.stderr.write(clearLine)
    const { tools = [] } = upstream!.listing ?? {}
    if (tools.length === 0)
      throw wrong(`the MCP server ${server.name} lists no tools, so there is nothing to review`)
    const found = tools.map((definition, index) => toolOfServer(definition, `tool ${index + 1}`))
    return {
      sets: [{ name: server.name, tools: found }],
      problems: upstream!.toolProblems.map((problem) => configError('--mcp', null, oneLine(problem))),
      remarks: [...said],
    }
  } finally {
    await upstream!.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function serverOf(given: string, startTimeoutMs: number | undefined): ServerConfig {
  const url = /^\s*https?:/i.test(given) ? given.trim() : null
  const target = url === null ? commandOf(given) : urlOf(url)
  return {
    name: target.kind === 'stdio' ? nameOf(target.command) : new URL(target.url).hostname,
    file: '--mcp',
    root: process.cwd(),
    target,
    ...serverDefaults,
    startTimeoutMs: startTimeoutMs ?? defaultStartTimeoutMs(target),
  }
}

function urlOf(url: string): ServerConfig['target'] {
  const place = { file: '--mcp', root: process.cwd(), env: process.env }
  const { server, problems } = readServer('remote', { type: 'http', url }, place)
  if (server !== null && server !== 'disabled') return server.target
  throw wrong(`--mcp: ${problems.map(({ message }) => oneLine(message)).join('; ')}`)
}

function commandOf(given: string): StdioTarget {
  try {
    const [command, ...args] = splitShellWords(given)
    if (command !== undefined && command !== '') {
      return { kind: 'stdio', command, args, env: {}, cwd: undefined }
    }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    throw wrong(`--mcp: ${error.message}`)
  }
  throw wrong('--mcp takes a command, as in --mcp "npx -y @modelcontextprotocol/server-memory", or a URL')
}

/** Only for people to read. */
function nameOf(command: string): string {
  return (
    basename(command)
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 40)
      .replace(/^-+|-+$/g, '') || 'server'
  )
}

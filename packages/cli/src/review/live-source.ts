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
import { splitShellWords, UnsupportedCommand } from '../new/split-shell-words.ts'
import { clearLine, cut, oneLine } from '../terminal.ts'
import { reviewError } from './review-error.ts'
import { fromServerDefinition, type ToolSource } from './tool-source.ts'

/** Starts an MCP server, or connects to it, only to list its tools. Keeps no state. */
export async function liveSource(
  commandOrUrl: string,
  startTimeoutMs: number | undefined,
): Promise<ToolSource> {
  const server = serverOf(commandOrUrl, startTimeoutMs)
  const folder = await mkdtemp(join(tmpdir(), 'curfew-review-'))
  const notices = new Set<string>()
  const [upstream] = await openUpstreams([server], {
    stateFolder: folder,
    // Problems with tools are in `toolProblems`.
    log: (message, topic) => {
      if (topic !== 'tools') notices.add(oneLine(message))
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
      throw reviewError(oneLine(messageOf(error)))
    })
    if (live) process.stderr.write(clearLine)
    const { tools = [], server: info } = upstream!.listing ?? {}
    if (tools.length === 0) throw reviewError(`the MCP server ${server.name} lists no tools`)
    const found = tools.map((definition, index) => fromServerDefinition(definition, `tool ${index + 1}`))
    return {
      sets: [{ name: ownName(info) ?? server.name, pattern: '*', tools: found }],
      problems: upstream!.toolProblems.map((problem) => configError('--mcp', null, oneLine(problem))),
      notices: [...notices],
    }
  } finally {
    await upstream!.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The name that the server gives itself. */
function ownName(info: unknown): string | null {
  const { title, name } = Object(info) as { title?: unknown; name?: unknown }
  const given = [title, name].find((text) => typeof text === 'string' && oneLine(text) !== '')
  return given === undefined ? null : cut(given as string, 80)
}

function serverOf(commandOrUrl: string, startTimeoutMs: number | undefined): ServerConfig {
  const url = /^\s*https?:/i.test(commandOrUrl) ? commandOrUrl.trim() : null
  const target = url === null ? commandOf(commandOrUrl) : urlOf(url)
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
  throw reviewError(`--mcp: ${problems.map(({ message }) => oneLine(message)).join('; ')}`)
}

function commandOf(commandLine: string): StdioTarget {
  try {
    const [command, ...args] = splitShellWords(commandLine)
    if (command !== undefined && command !== '') {
      return { kind: 'stdio', command, args, env: {}, cwd: undefined }
    }
  } catch (error) {
    if (!(error instanceof UnsupportedCommand)) throw error
    throw reviewError(`--mcp: ${error.message}`)
  }
  throw reviewError(
    '--mcp: expected a URL, or a command such as "npx -y @modelcontextprotocol/server-memory"',
  )
}

/** The name in reports. */
function nameOf(command: string): string {
  return (
    basename(command)
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .slice(0, 40)
      .replace(/^-+|-+$/g, '') || 'server'
  )
}

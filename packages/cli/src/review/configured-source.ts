import type { Tool } from '@curfew/core'
import type { ConfigProblem } from '@curfew/extensions'
import { configError, escapeKey } from '@curfew/extensions/internal'
import { fromTool } from '@curfew/review'
import { addServerTools, loadTools, type WithServerTools } from '../tools/load-tools.ts'
import { fromOwnFile } from './file-source.ts'
import { type JsonDocument, readJsonDocument, UnreadableDocument } from './read-json-document.ts'
import { fromServerDefinition, type SourceTool, type ToolSet, type ToolSource } from './tool-source.ts'

/** All tools that are configured for the current directory. */
export async function configuredSource(): Promise<ToolSource> {
  const configured = await addServerTools('review', await loadTools('review'), undefined)
  await configured.close()
  return await sourceOf(configured)
}

/** Tools that are already loaded. */
export async function sourceOf(configured: WithServerTools): Promise<ToolSource> {
  const documents = new Documents()
  const ownTools: SourceTool[] = []
  const servers = new Map<string, SourceTool[]>()
  for (const tool of configured.tools) {
    const served = configured.definitions.get(tool.name)
    if (served === undefined) {
      ownTools.push(await readOwnTool(tool, configured, documents))
      continue
    }
    const { server, definition } = served
    const document = await documents.read(configured.files.get(tool.name))
    const base = `/mcpServers/${escapeKey(server)}`
    const tools = servers.get(server) ?? []
    servers.set(server, tools)
    tools.push({
      ...fromServerDefinition(definition, tool.name),
      shownName: tool.name,
      origin: document && { document, format: 'server', base },
    })
  }
  const sets: ToolSet[] = [
    { name: 'your tools', pattern: '*', tools: ownTools },
    ...[...servers].map(([name, tools]) => ({ name, pattern: `mcp__${name}__*`, tools })),
  ]
  return { sets, problems: [...problemsOf(configured), ...documents.problems], notices: [] }
}

/** An untrusted project is an error here, because it was not reviewed and must not be reported as clean. */
function problemsOf({ roots, problems }: WithServerTools): ConfigProblem[] {
  const ignored = roots.project?.trusted === false ? roots.project.path : null
  return problems.map((problem) =>
    problem.file === ignored ? { ...problem, severity: 'error' as const } : problem,
  )
}

async function readOwnTool(
  tool: Tool,
  { files }: WithServerTools,
  documents: Documents,
): Promise<SourceTool> {
  const { adapter } = tool
  const document = await documents.read(files.get(tool.name))
  if (document !== null && (adapter === 'script' || adapter === 'api'))
    return fromOwnFile(tool, document, adapter)
  return { shownName: tool.name, tool: fromTool(tool), findings: [], origin: null }
}

/** Reads each file once. */
class Documents {
  readonly problems: ConfigProblem[] = []
  readonly #read = new Map<string, JsonDocument | null>()

  async read(file: string | undefined): Promise<JsonDocument | null> {
    if (file === undefined) return null
    const known = this.#read.get(file)
    if (known !== undefined) return known
    const document = await readJsonDocument(file).catch((error: unknown) => {
      // The file may have changed since the tools were loaded.
      if (!(error instanceof UnreadableDocument)) throw error
      this.problems.push(configError(file, null, error.message))
      return null
    })
    this.#read.set(file, document)
    return document
  }
}

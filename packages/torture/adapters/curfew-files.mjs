import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The command, which is built by `npm run build`. */
export const curfew = join(
  dirname(createRequire(import.meta.url).resolve('curfew/package.json')),
  'bin/curfew.cjs',
)

/** Writes the files of a user's configuration. Returns the environment that makes Curfew use them. */
export function writeFiles(folder, { settings, servers, apis, config = {} }) {
  const root = join(folder, 'config', 'curfew')
  mkdirSync(join(root, 'extensions', 'apis'), { recursive: true })
  const write = (file, content) => writeFileSync(join(root, file), JSON.stringify(content))
  write('config.json', config)
  // By default, servers decide themselves which arguments are valid.
  const strict = settings === 'best'
  write('mcp.json', {
    mcpServers: Object.fromEntries(
      servers.map(({ name, command, args }) => [name, { command, args, strict }]),
    ),
  })
  for (const { name, description, url } of apis)
    write(`extensions/apis/${name}.json`, { name, description, endpoint: { url } })
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  for (const path of [home, project]) mkdirSync(path, { recursive: true })
  const folders = {
    HOME: home,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
  }
  return { project, env: { ...process.env, ...folders, CURFEW_SECRET_STORE: 'file', NO_COLOR: '1' } }
}

/** The settings with which a cautious user would use the suite's tools, which are those of an MCP server. */
export const toConfig = ({ limitMs, maxCalls, tools }) => ({
  toolCallTimeout: limitMs,
  approval: { default: 'allow' },
  ...(maxCalls !== null && { limits: { callsPerTurn: maxCalls } }),
  tools: Object.fromEntries(
    tools.map(({ name, readOnly, resources, needsApproval }) => [
      `mcp__torture__${name}`,
      {
        readOnly,
        concurrent: readOnly,
        ...(resources && { resources }),
        ...(needsApproval && { approval: 'ask' }),
      },
    ]),
  ),
})

/** The calls that `curfew log --json` or the journal reports. */
export const toListed = ({ tool, status, lostIn }) => ({
  name: tool,
  // A call that had not started when its process was killed was still waiting.
  status:
    status === 'executing'
      ? 'running'
      : status === 'lost' && lostIn === 'executing'
        ? 'lost'
        : (ended[status] ?? 'waiting'),
})
const ended = { success: 'success', error: 'error', cancelled: 'cancelled' }

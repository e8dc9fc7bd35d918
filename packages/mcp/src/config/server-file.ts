import type { JsonSchema } from '@curfew/core'
import { described } from '@curfew/core/internal'
import { documentChecker } from '@curfew/extensions/internal'
import { type ProtocolVersion, protocolVersions, type ServerConfig } from './server-config.ts'
import { serverNamePattern } from './server-name.ts'

/** A server's entry in the file. */
export interface ServerEntry
  extends Pick<ServerConfig, 'trust' | 'eager' | 'exclude' | 'strict' | 'instances' | 'pin' | 'loops'> {
  readonly type?: 'stdio' | 'http' | 'streamable-http' | 'streamableHttp' | 'sse'
  readonly command?: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, Scalar>>
  readonly cwd?: string
  readonly url?: string
  readonly headers: Readonly<Record<string, Scalar>>
  readonly oauth?: OAuthEntry
  readonly timeout?: number | string
  readonly idleTimeout?: number | string
  readonly startTimeout?: number | string
  readonly include?: readonly string[]
  readonly protocol?: ProtocolVersion
  readonly idleStop?: number | string | boolean
}

export interface OAuthEntry {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly clientMetadataUrl?: string
  readonly scopes?: readonly string[]
}

type Scalar = string | number | boolean
type Schema = JsonSchema

const comments: Schema = { '^//': { description: 'A comment.' } }

const serverSchema: Schema = {
  description: 'A program ("command") or a remote server ("url").',
  type: 'object',
  properties: {
    type: described(
      { enum: ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'] },
      'The transport. Default: stdio for a command, and http for a URL, with a fallback to the older sse.',
    ),
    command: { type: 'string', minLength: 1, description: 'The program to start, without a shell.' },
    args: described(
      { type: 'array', items: { type: 'string' }, default: [] },
      'The arguments. One may be secret:NAME, which other users of this machine can then see.',
    ),
    env: scalars(
      'Environment variables, in addition to PATH, HOME, proxies and similar. A value may be secret:NAME, or contain {secret:NAME}.',
    ),
    cwd: described(
      { type: 'string', minLength: 1 },
      'The working directory; a relative path is resolved from the project directory.',
    ),
    url: described(
      { type: 'string', minLength: 1 },
      'An http or https URL. {secret:NAME} in its path or query is replaced by the secret.',
    ),
    headers: scalars(
      'Headers of every request. A value may end with secret:NAME, as in "Bearer secret:NAME", or contain {secret:NAME}.',
    ),
    oauth: {
      description: 'For servers that do not support dynamic client registration.',
      type: 'object',
      properties: {
        clientId: described(
          { type: 'string', minLength: 1 },
          'The id of a client that was registered manually.',
        ),
        clientSecret: { type: 'string', minLength: 1, description: 'Its secret, as secret:NAME.' },
        clientMetadataUrl: described(
          { type: 'string', pattern: '^https://' },
          'The URL of the client metadata, which is then used as the client id.',
        ),
        scopes: described(
          { type: 'array', items: { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' } },
          'The scopes to request. Default: those that the server requires.',
        ),
      },
      patternProperties: comments,
      additionalProperties: false,
    },
    timeout: duration('The timeout of each call. Default: 60s.'),
    idleTimeout: duration('The maximum time without progress during a call. Default: none.'),
    startTimeout: duration(
      'The timeout for starting and connecting. Default: 30s, or 2m if npx, uvx, docker or similar downloads the server first.',
    ),
    trust: described(
      { type: 'boolean', default: false },
      'Trust the annotations of its tools, which say what is read-only or safe to repeat, and use new tools without approval.',
    ),
    eager: { type: 'boolean', default: false, description: 'Start it immediately instead of on first use.' },
    include: globs('Only these tools of the server. Default: all.'),
    exclude: { ...globs('All tools except these.'), default: [] },
    strict: described(
      { type: 'boolean', default: false },
      'Reject arguments that do not match the schema of a tool. By default, the server decides what it accepts.',
    ),
    protocol: {
      enum: protocolVersions,
      description: 'The protocol version to use with the server. Default: the newest that it supports.',
    },
    idleStop: described(
      { type: ['number', 'string', 'boolean'] },
      'Stop the server after this time without a call, unless a client that called it is still connected. false: never. Default: 10m, and never for an eager server.',
    ),
    instances: described(
      { enum: ['shared', 'per-client'], default: 'shared' },
      'per-client starts a process for each client, for servers with state such as a browser.',
    ),
    pin: described(
      { enum: ['strict', 'notify', 'off'], default: 'strict' },
      'If the definition of a tool changes, or a tool is added: do not use it until it is approved (strict), use it and report it (notify), or use it (off).',
    ),
    loops: described(
      { type: 'boolean', default: true },
      'Tell the model if it repeats a call again and again with the same result.',
    ),
    disabled: { type: 'boolean', default: false, description: 'Ignore this server.' },
    description: { type: 'string', description: 'A note for people; it is not used.' },
  },
  patternProperties: comments,
  additionalProperties: false,
}

/** What `mcp.json` may contain. */
export const mcpFileSchema: Schema = {
  title: 'The MCP servers of Curfew (mcp.json)',
  description:
    '$VAR, ${VAR} and ${VAR:-default} are replaced by environment variables. Durations are milliseconds, or a string with a unit ("90s").',
  type: 'object',
  properties: {
    $schema: { type: 'string', description: 'The URL of this schema, for editors.' },
    mcpServers: {
      type: 'object',
      description: 'The servers by name. Their tools are named mcp__<server>__<tool>.',
      propertyNames: { pattern: `${serverNamePattern}|^//` },
      patternProperties: comments,
      additionalProperties: serverSchema,
    },
  },
  patternProperties: comments,
  additionalProperties: false,
}

/** Validates the file without its servers: each is validated separately, so that an invalid one does not affect the others. */
export const checkMcpFile: ReturnType<typeof documentChecker<McpFile>> = documentChecker<McpFile>({
  ...mcpFileSchema,
  properties: { $schema: { type: 'string' }, mcpServers: { type: 'object' } },
})

interface McpFile {
  readonly mcpServers?: Readonly<Record<string, unknown>>
}

export const checkServerEntry: ReturnType<typeof documentChecker<ServerEntry>> =
  documentChecker<ServerEntry>(serverSchema)

function scalars(description: string): Schema {
  return {
    type: 'object',
    default: {},
    description,
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  }
}

function duration(description: string): Schema {
  return { description, type: ['number', 'string'] }
}

function globs(description: string): Schema {
  return {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    description: `${description} * matches any characters.`,
  }
}

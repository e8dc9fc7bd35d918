import type { JsonSchema } from '@curfew/core'
import { documentChecker } from '@curfew/extensions/internal'
import { serverNamePattern } from './server-name.ts'

/** A server as it stands in the file. */
export interface ServerEntry {
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
  readonly trust: boolean
  readonly eager: boolean
  readonly include?: readonly string[]
  readonly exclude: readonly string[]
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
  description: 'A program ("command"), or a server that runs somewhere ("url").',
  type: 'object',
  properties: {
    type: {
      enum: ['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'],
      description:
        'How it is spoken to; by default stdio with a command, and http with a url, which tries the older sse by itself.',
    },
    command: { type: 'string', minLength: 1, description: 'The program to start; no shell looks at it.' },
    args: {
      type: 'array',
      items: { type: 'string' },
      default: [],
      description: 'Its arguments. One may be secret:NAME, which other users of this machine can then see.',
    },
    env: texts(
      'Variables for the program, beside PATH, HOME, proxies and the like. A value may be secret:NAME, or contain {secret:NAME}.',
    ),
    cwd: {
      type: 'string',
      minLength: 1,
      description: "Where the program runs; a relative path is seen from the project's folder.",
    },
    url: {
      type: 'string',
      minLength: 1,
      description: 'http or https. {secret:NAME} in its path or query is filled with a secret.',
    },
    headers: texts(
      'Sent with every request. A value may end with secret:NAME, as in "Bearer secret:NAME", or contain {secret:NAME}.',
    ),
    oauth: {
      description: 'Only for servers where a client cannot register itself.',
      type: 'object',
      properties: {
        clientId: {
          type: 'string',
          minLength: 1,
          description: 'The id of a client that is registered there.',
        },
        clientSecret: { type: 'string', minLength: 1, description: 'Its secret, as secret:NAME.' },
        clientMetadataUrl: {
          type: 'string',
          pattern: '^https://',
          description: 'Where the metadata of the client are published, which then is its id.',
        },
        scopes: {
          type: 'array',
          items: { type: 'string', pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' },
          description: 'What to ask for; by default what the server wants.',
        },
      },
      patternProperties: comments,
      additionalProperties: false,
    },
    timeout: duration('How long a call of one of its tools may take; by default 60s.'),
    idleTimeout: duration('How long a call may go without progress; by default as long as the call.'),
    startTimeout: duration(
      'How long it may take to start and to connect; by default 30s, or 2m where npx, uvx, docker or the like download it first.',
    ),
    trust: {
      type: 'boolean',
      default: false,
      description: 'Believe what it says about its tools: which are read-only, or safe to repeat.',
    },
    eager: { type: 'boolean', default: false, description: 'Start it at once instead of on first use.' },
    include: globs('Only these tools of the server; by default all.'),
    exclude: { ...globs('All but these tools.'), default: [] },
    disabled: { type: 'boolean', default: false, description: 'Leave it out, as if it were not there.' },
    description: { type: 'string', description: 'For people; nobody else reads it.' },
  },
  patternProperties: comments,
  additionalProperties: false,
}

/** What `mcp.json` may contain. */
export const mcpFileSchema: Schema = {
  title: 'The MCP servers of Curfew (mcp.json)',
  description:
    '$VAR, ${VAR} and ${VAR:-default} are filled in from the environment. Durations are milliseconds, or a text with a unit ("90s").',
  type: 'object',
  properties: {
    $schema: { type: 'string', description: 'Where this schema is, for editors.' },
    mcpServers: {
      type: 'object',
      description: 'The servers by name; tools are called mcp__<server>__<tool>.',
      propertyNames: { pattern: `${serverNamePattern}|^//` },
      patternProperties: comments,
      additionalProperties: serverSchema,
    },
  },
  patternProperties: comments,
  additionalProperties: false,
}

/** The file without a look at its servers: each is checked for itself, so that a bad one harms no other. */
export const checkMcpFile: ReturnType<typeof documentChecker<McpFile>> = documentChecker<McpFile>({
  ...mcpFileSchema,
  properties: { $schema: { type: 'string' }, mcpServers: { type: 'object' } },
})

interface McpFile {
  readonly mcpServers?: Readonly<Record<string, unknown>>
}

export const checkServerEntry: ReturnType<typeof documentChecker<ServerEntry>> =
  documentChecker<ServerEntry>(serverSchema)

function texts(description: string): Schema {
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
    description: `${description} * stands for anything.`,
  }
}

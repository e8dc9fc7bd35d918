import { type Command, defineCommand, flag, text } from '../command.ts'
import { projectOption, storeSecretsOption, timeoutOption, userOption } from './shared-options.ts'

export const mcpAddCommand: Command = defineCommand({
  name: 'add',
  summary: 'Add an MCP server to mcp.json',
  usage: ['NAME [OPTIONS] -- COMMAND [ARG]...', 'NAME URL [OPTIONS]'],
  description: [
    'A server is a program that is started when needed, or a URL. Its tools are called mcp__NAME__<tool>. No shell interprets the command. The rest of the file is not changed.',
  ],
  arguments: {
    name: { placeholder: 'NAME', summary: 'The name of the server' },
    url: {
      placeholder: 'URL',
      summary: 'The http:// or https:// address of a remote server',
      optional: true,
    },
    command: {
      placeholder: 'COMMAND [ARG]...',
      summary: 'After --: the program to start, with its arguments',
      optional: true,
      multiple: true,
      afterDashes: true,
      completes: 'command',
    },
  },
  options: {
    env: text('NAME=VALUE', 'Environment variable for the program', { short: 'e', multiple: true }),
    header: text("'NAME: VALUE'", 'HTTP header for the URL', { short: 'H', multiple: true }),
    transport: {
      type: 'choice',
      choices: ['stdio', 'http', 'sse'],
      placeholder: 'TRANSPORT',
      summary: 'http (the default) or sse for a URL, stdio for a program',
    },
    timeout: {
      ...timeoutOption,
      summary: 'Time limit for its calls: seconds, or a number with a unit (250ms, 2m)',
    },
    trust: flag('Trust what it declares about its tools: which are read-only or idempotent'),
    eager: flag('Start it immediately instead of on first use'),
    'store-secrets': storeSecretsOption,
    user: { ...userOption, summary: `${userOption.summary}; the default` },
    project: projectOption,
    force: flag('Replace an existing server of the same name'),
  },
  notes: [
    "Keys do not belong in the file: store them with curfew secret set NAME and write secret:NAME, as in the examples. Arguments and the URL accept them too, but other users of this machine can see the arguments of a process. '$VAR' is replaced by the environment variable when the server starts.",
  ],
  examples: {
    'curfew mcp add memory -- npx -y @modelcontextprotocol/server-memory': 'Add a program.',
    'curfew mcp add db -e API_KEY=secret:API_KEY -- ./server':
      'Pass a stored secret in an environment variable.',
    "curfew mcp add gh https://mcp.example -H 'Authorization: Bearer secret:GH'":
      'Add a URL, and pass a stored secret in a header.',
  },
  usageHint: (args) =>
    args.includes('--') ? null : 'A command goes after --, as in: curfew mcp add NAME -- COMMAND ARGS.',
  seeAlso: ['curfew mcp test', 'curfew secret set'],
  guide: 'mcp.md',
  run: async (input) => (await import('../mcp/run-mcp-add.ts')).runMcpAdd(input),
})

import type { JsonSchema } from '@curfew/core'
import { type Adapter, adapterTimeouts, maxTimerMs } from '@curfew/core/internal'

const adapterNames: Readonly<Record<Adapter, string>> = {
  builtin: 'tools that Curfew brings along',
  function: 'tools that are functions; by default toolCallTimeout',
  script: 'script tools',
  api: 'API tools',
  'mcp-http': 'tools of MCP servers over HTTP',
  'mcp-stdio': 'tools of MCP servers that are programs',
  subagent: 'subagents',
  'external-agent': 'other agents',
  'cross-review': 'cross reviews',
  plan: 'planning',
  transcribe: 'transcribing',
  image: 'making images',
}

/** What `config.json` may contain: its check, its settings, their defaults and their variables all come from here. */
export const configFileSchema: JsonSchema = group(
  {
    $schema: { type: 'string', description: 'Where this schema is, for editors.' },
    toolCallTimeout: duration(
      'The deadline of calls for which nothing else is written down. Written here, it beats the defaults of all adapters.',
      '3m',
    ),
    maxToolCallTimeout: duration(
      "No call may take longer, whatever the call, the tool or the adapter say. A project can only lower the user's.",
    ),
    timeouts: group(
      Object.fromEntries(
        (Object.keys(adapterTimeouts) as Adapter[]).map((adapter) => [adapter, adapterRow(adapter)]),
      ),
      'Deadlines by adapter: what kind of thing a tool is.',
    ),
    queueTimeout: duration("How long a call may wait for a free slot; by default the call's own timeout."),
    concurrency: count('How many calls run at once.', 8),
    limits: group(
      {
        callsPerTurn: count('How many calls a model may make in one turn.', 1_000),
        depth: count('How deep tools may call tools.', 8),
        continuations: count('How often a conversation may go on with tool results.', 100),
      },
      'At a limit, calls end with LIMIT_EXCEEDED.',
    ),
    loops: {
      ...group(
        {
          nudgeAfter: count('After so many equal rounds the model is told.', 3),
          stopAfter: count('After so many, the next equal call ends with LOOP_DETECTED.', 5),
        },
        'Against calls that come round and round; false switches it off.',
      ),
      type: ['boolean', 'object'],
      default: true,
    },
    breaker: group(
      {
        maxCallsPerWindow: count('So many calls are let through in each window.', 10_000),
        resetTime: duration('The length of a window.', '60s'),
        failures: count('So many failures of a tool in a row, and it is not called for a while.', 5),
        cooldown: duration('How long that while is.', '30s'),
      },
      'Against runaway loops, and against tools that keep failing.',
    ),
    approval: {
      ...group(
        {
          default: verdict('What happens to a call that no rule is about. A project can only be stricter.'),
          rules: group(
            {
              allow: rules(
                'Run without a question. No use in a project whose user wrote the default "deny".',
              ),
              ask: rules('A person is asked, even for tools that are read-only.'),
              deny: rules('Never run.'),
            },
            'deny beats ask beats allow. The rules of user and project count together.',
          ),
        },
        'Whether calls of tools that are not read-only may run: a verdict for all, or rules and a default.',
      ),
      type: ['string', 'object'],
      if: { type: 'string' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { enum: ['ask', 'allow', 'deny'] },
    },
    approvalTimeout: duration('How long a question stays open.', '10m'),
    view: {
      enum: ['stub', 'brief', 'full'],
      default: 'brief',
      description:
        'How tools are shown to a model: by name alone, with a sentence and parameters, or with all.',
    },
    builtins: {
      type: 'boolean',
      default: false,
      description:
        'Whether `curfew mcp` serves the tools timeout, nice and sleep. The first two run any command, so whoever may call them may do anything that you may.',
    },
    maxContentLength: count(
      'How many characters of a result a model is given; the rest goes to a file.',
      65_536,
    ),
    spillDirectory: {
      type: 'string',
      minLength: 1,
      description:
        'Where long results go and stay, up to 256 MiB and 7 days; by default a temporary directory. Seen from the directory of this file.',
    },
    grace: duration('How long a call may take to clean up after its deadline.', '250ms'),
    heartbeat: duration('Every running call logs a line this often.', '30s'),
  },
  'Durations are milliseconds, or a text with a unit ("90s"). A key that begins with // is a comment.',
  { title: 'The configuration of Curfew (config.json)' },
)

function group(properties: JsonSchema, description: string, more: JsonSchema = {}): JsonSchema {
  return {
    ...more,
    description,
    type: 'object',
    properties,
    patternProperties: { '^//': { description: 'A comment.' } },
    additionalProperties: false,
  }
}

function duration(description: string, fallback?: string): JsonSchema {
  return {
    description,
    type: ['number', 'string'],
    exclusiveMinimum: 0,
    maximum: maxTimerMs,
    pattern: '^\\s*(\\d+(\\.\\d+)?|\\.\\d+)\\s*(ms|s|m|h|d)\\s*$',
    ...(fallback !== undefined && { default: fallback }),
  }
}

function adapterRow(adapter: Adapter): JsonSchema {
  const { defaultMs, capMs } = adapterTimeouts[adapter]
  const cap = capMs === null ? '' : `, ${capMs / 60_000} minutes at the most`
  const fallback = defaultMs === null ? undefined : `${defaultMs / 1_000}s`
  return duration(`The deadline of ${adapterNames[adapter]}${cap}.`, fallback)
}

function count(description: string, fallback: number): JsonSchema {
  return {
    description,
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: fallback,
  }
}

function verdict(description: string): JsonSchema {
  return { description, enum: ['ask', 'allow', 'deny'], default: 'ask' }
}

function rules(description: string): JsonSchema {
  return {
    description: `${description} Each is "tool" or "tool(glob)", where * stands for anything.`,
    type: 'array',
    items: { type: 'string', pattern: '^[^()\\s]+(\\([\\s\\S]*\\))?$' },
    default: [],
  }
}

import type { JsonSchema } from '@curfew/core'
import {
  type Adapter,
  adapterTimeouts,
  defaultSecretFiles,
  described,
  maxTimerMs,
  secretNamePattern,
  type ToolSetting,
} from '@curfew/core/internal'

const adapterNames: Readonly<Record<Adapter, string>> = {
  builtin: 'built-in tools',
  function: 'function tools; by default toolCallTimeout',
  script: 'script tools',
  api: 'API tools',
  'mcp-http': 'tools of MCP servers over HTTP',
  'mcp-stdio': 'tools of MCP servers over stdio',
  subagent: 'subagents',
  'external-agent': 'external agents',
  'cross-review': 'cross reviews',
  plan: 'plan generation',
  transcribe: 'transcription',
  image: 'image generation',
  background: 'background tasks',
}

const ignored: JsonSchema = { '^//': { description: 'Ignored.' } }

/** `tool` or `tool(glob)`. */
export const rulePattern = '^[^()\\s]+(\\([\\s\\S]*\\))?$'
const toolSettings: Readonly<Record<ToolSetting, JsonSchema>> = {
  timeout: duration("Overrides the tool's own timeout and every default."),
  idleTimeout: duration('The maximum time without output and progress.'),
  readOnly: toggle(
    'Whether the tool changes nothing, so that it needs no approval. A project can only set false.',
  ),
  concurrent: toggle('Whether calls may run at the same time as others. A project can only set false.'),
  idempotent: toggle(
    'Whether running it twice has the same effect as running it once. A project can only set false.',
  ),
  resources: described(
    { type: 'array', items: { type: 'string', minLength: 1 } },
    'Keys for what a call uses; only calls that share a key wait for each other. {x} is replaced by the parameter x. []: it uses nothing shared.',
  ),
  approval: {
    description: 'Counts as a rule for these tools. A project can only be stricter.',
    enum: ['ask', 'allow', 'deny'],
  },
}

/** An entry of `tools`. */
export const toolSettingsSchema: JsonSchema = group(toolSettings, 'Settings for the tools that match.')

/** `provider:name`, without a base URL. */
export const modelKeyPattern = '^(google|anthropic|openai-compatible):(?!.*@http)\\S+$'
/** `provider:name[@base-url]`. */
const modelPattern = '^(google|anthropic|openai-compatible):\\S+$'

/** An entry of `models`. */
export const modelSettingsSchema: JsonSchema = group(
  {
    contextWindow: count('The number of tokens that the model accepts.'),
    price: group(
      {
        input: amount('For a million tokens of input.'),
        output: amount('For a million tokens of output.'),
        cacheRead: amount(
          'For a million tokens that are read from the cache; by default the price of input.',
        ),
        cacheWrite: amount(
          'For a million tokens that are written to the cache; by default the price of input.',
        ),
      },
      'Required for budgets in money, in a currency of your choice. Ignored in a project.',
    ),
    key: described(
      { type: 'string', pattern: secretNamePattern },
      "The name of the secret that is sent to the model's server as its key. Ignored in a project.",
    ),
    baseUrl: described(
      { type: 'string', pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$' },
      "The base URL of the model's server. Ignored in a project.",
    ),
  },
  'Settings for this model.',
)

/** An entry of `externalAgents`. */
export const externalAgentSchema: JsonSchema = group(
  {
    command: described(
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
      'The program and its arguments. {task} in an argument is replaced by the task; without one, the task is its standard input.',
    ),
    format: {
      description: 'How the program writes its answer: as text, or as one of the known programs.',
      enum: ['text', 'claude', 'gemini', 'codex', 'copilot'],
    },
  },
  'A program that completes a task.',
)

/** Of profiles. */
export const profileNamePattern = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'

/** An entry of `profiles`. */
export const profileSchema: JsonSchema = group(
  {
    servers: globs('The MCP servers whose tools, prompts and resources it contains.'),
    tools: globs('Tools that it contains in addition, by their full names, such as mcp__github__get_issue.'),
    exclude: globs('Tools that it does not contain.'),
    token: described(
      { type: 'string', pattern: `^secret:${secretNamePattern.slice(1)}` },
      'With `curfew mcp --http`, a client with this bearer token is served only this profile: secret:NAME.',
    ),
  },
  'A part of what `curfew mcp` serves. Without servers and tools, everything except `exclude`.',
)

/** A terabyte. */
const maxFileMb = 1_048_576

/** The schema of `config.json`. Validation, settings, defaults and environment variables are all derived from it. */
export const configFileSchema: JsonSchema = group(
  {
    $schema: { type: 'string', description: 'The location of this schema, for editors.' },
    toolCallTimeout: duration(
      'The timeout of calls that have no other limit. If set, it overrides the defaults of adapters; one above 3 minutes is only raised.',
      '3m',
    ),
    maxToolCallTimeout: duration(
      "An upper bound for every call, whatever the call, the tool or the adapter allows. A project can only lower the user's value.",
    ),
    timeouts: group(
      Object.fromEntries(
        (Object.keys(adapterTimeouts) as Adapter[]).map((adapter) => [adapter, adapterRow(adapter)]),
      ),
      'Timeouts by adapter, the kind of tool.',
    ),
    tools: entries(
      toolSettingsSchema,
      'Settings for tools that someone else wrote, by name or pattern (mcp__github__*). For each setting, the longest matching pattern wins; of equally long ones, the last.',
    ),
    model: described(
      { type: 'string', pattern: modelPattern },
      'The model that the agent uses: provider:name[@base-url], where the provider is google, anthropic or openai-compatible. A project cannot set a base URL.',
    ),
    fallbackModel: described(
      { type: 'string', pattern: modelPattern },
      'The model that is used after the quota of the model is exhausted. A project cannot set a base URL.',
    ),
    imageModel: described(
      { type: 'string', pattern: modelPattern },
      'The model of the tool generate_image: provider:name[@base-url], where the provider is google or openai-compatible. A project cannot set a base URL.',
    ),
    transcriptionModel: described(
      { type: 'string', pattern: modelPattern },
      'The model of the tool transcribe_media: provider:name[@base-url], where the provider is google. A project cannot set a base URL.',
    ),
    externalAgents: entries(
      externalAgentSchema,
      'Programs for the tool invoke_external_agent, by name. An entry named claude, gemini, codex or copilot replaces only the program and adds arguments. Ignored in a project.',
    ),
    profiles: entries(
      profileSchema,
      'Parts of what `curfew mcp` serves, by name: --profile NAME serves only this one. Ignored in a project.',
    ),
    models: entries(modelSettingsSchema, 'Settings for models, by provider:name.'),
    secretFiles: {
      description:
        'Patterns, as in .gitignore, of files that the agent neither reads nor changes. Your list replaces the default one; a project can only add patterns.',
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 1_000 },
      default: defaultSecretFiles,
    },
    queueTimeout: duration('How long a call may wait for a free slot; by default as long as it takes.'),
    concurrency: count('The number of calls that run at the same time.', 8),
    limits: group(
      {
        callsPerTurn: count('The maximum number of calls in one turn.', 1_000),
        depth: count('The maximum depth of tools that call tools.', 8),
        continuations: count(
          'How often a model may continue with the results of its calls after a prompt.',
          100,
        ),
      },
      'At a limit, calls end with LIMIT_EXCEEDED, and the model is asked for a final answer. A project can only lower them.',
    ),
    budget: group(
      { turn: budget('one turn'), conversation: budget('a conversation') },
      'What the models of the agent may use. A project can only lower it.',
    ),
    modelTimeouts: group(
      {
        firstToken: duration('Until the first part of a response arrives.', '60s'),
        idle: duration('Between two parts of a response.', '60s'),
        total: duration('For the whole request, including retries.', '10m'),
      },
      'Limits of each request of the agent to a model. A project can only lower them.',
    ),
    checkpoints: described(
      { type: 'boolean', default: true },
      'Whether the agent saves the files of the workspace before its tools change something, so that /restore can undo it. A project can only turn it on.',
    ),
    loops: {
      ...group(
        {
          nudgeAfter: count(
            'The number of identical rounds after which the model gets a hint. Default of the gateway: 10.',
            3,
          ),
          stopAfter: count(
            'The number of identical rounds after which the next identical call ends with LOOP_DETECTED. Not used by the gateway.',
            5,
          ),
        },
        'Detects calls that repeat in a loop; false turns it off. A project can only lower the numbers, and cannot turn it off.',
      ),
      type: ['boolean', 'object'],
      default: true,
    },
    breaker: group(
      {
        maxCallsPerWindow: count('The maximum number of calls per window.', 10_000),
        resetTime: duration('The length of a window.', '60s'),
        failures: count(
          'The number of consecutive failures after which a tool is not called for a while.',
          5,
        ),
        cooldown: duration('How long a failing tool is not called.', '30s'),
      },
      'Stops runaway loops, and tools that keep failing. A project can only lower the numbers and raise the durations.',
    ),
    approval: {
      ...group(
        {
          default: verdict('The verdict on calls that match no rule. A project can only be stricter.'),
          rules: group(
            {
              allow: rules(
                'Calls that run without approval. Ignored in a project if the user\'s default is "deny".',
              ),
              ask: rules(
                'Calls that require approval, even of read-only tools. If the user\'s default is "deny", those of a project concern only what the user allows or asks.',
              ),
              deny: rules('Calls that are never run.'),
            },
            'deny overrides ask, which overrides allow. The rules of user and project are combined.',
          ),
        },
        'Whether calls of tools that are not read-only may run: one verdict, or rules and a default.',
      ),
      type: ['string', 'object'],
      if: { type: 'string' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { enum: ['ask', 'allow', 'deny'] },
    },
    fetchAllow: described(
      { type: 'array', items: { type: 'string', minLength: 1 }, default: [] },
      'Hosts ("localhost:3000", "wiki.internal") and networks ("10.1.0.0/16") that fetch_url may request although their addresses are private. Ignored in a project.',
    ),
    approvalTimeout: duration('How long a prompt waits for an answer.', '10m'),
    view: described(
      { enum: ['stub', 'brief', 'full'], default: 'brief' },
      'How tools are shown to a model: stub (name only), brief (one sentence and parameters) or full.',
    ),
    sandbox: described(
      { enum: ['none', 'workspace', 'workspace-offline'], default: 'none' },
      "What the agent's commands (run_command) can reach. workspace: they change only files of the workspace, and see no keys; workspace-offline: they have no network either. Requires bubblewrap (Linux); without it, commands do not run. A project can only be stricter.",
    ),
    builtins: described(
      { type: 'boolean', default: false },
      'Whether `curfew mcp` serves the tools timeout, nice and sleep. timeout and nice run any command, so a client that can call them can do anything that you can.',
    ),
    maxContentLength: count(
      'The maximum number of characters of a result that a model gets; longer results are written to a file.',
      65_536,
    ),
    spillDirectory: described(
      { type: 'string', minLength: 1 },
      'Where long results are kept, up to 256 MiB and 7 days; by default a temporary directory. Relative to the directory of this file.',
    ),
    ui: group(
      {
        theme: described(
          { enum: ['auto', 'dark', 'light', 'none'], default: 'auto' },
          "The colours of the terminal: for a dark or a light background, or none. auto follows the terminal's background and NO_COLOR.",
        ),
        screenReader: described(
          { type: 'boolean', default: false },
          'Whether the agent only writes lines of plain text, for screen readers, instead of drawing on the terminal.',
        ),
      },
      'How the terminal looks. Ignored in a project.',
    ),
    journal: group(
      {
        enabled: described(
          { type: 'boolean', default: true },
          'Whether every call is recorded, for `curfew log`, `curfew ps` and `curfew stats`.',
        ),
        maxAgeDays: count('Calls older than this many days are removed.', 30, 36_500),
        maxSizeMb: count(
          'If the journal of a project is larger than this many MiB, its oldest calls are removed.',
          256,
          maxFileMb,
        ),
      },
      'The record of all calls. Ignored in a project.',
    ),
    log: group(
      {
        enabled: described(
          { type: 'boolean', default: true },
          'Whether long calls and failures are written to a log file.',
        ),
        level: described(
          { enum: ['debug', 'info', 'warn', 'error'], default: 'info' },
          'What is logged. debug: successful calls, too; info: also calls that run long; warn: failures, denials and warnings.',
        ),
        maxSizeMb: count('A log file larger than this many MiB is replaced by a new one.', 10, maxFileMb),
        maxFiles: count('The number of old log files that are kept.', 3, 100),
      },
      'The log file of a project. Ignored in a project.',
    ),
    grace: duration('How long a call may clean up after its deadline. A project can only lower it.', '250ms'),
    heartbeat: duration('How often every running call logs a line.', '30s'),
  },
  'Durations are milliseconds, or strings with a unit ("90s"). Comments and trailing commas are allowed; keys that start with // are ignored.',
  { title: 'Curfew configuration (config.json)' },
)

function group(properties: JsonSchema, description: string, more: JsonSchema = {}): JsonSchema {
  return {
    ...more,
    description,
    type: 'object',
    properties,
    patternProperties: ignored,
    additionalProperties: false,
  }
}

/** By names that the user chooses. */
function entries(schema: JsonSchema, description: string): JsonSchema {
  return { description, type: 'object', patternProperties: ignored, additionalProperties: schema }
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
  const cap = capMs === null ? '' : `, at most ${capMs / 60_000} minutes`
  const fallback = defaultMs === null ? undefined : `${defaultMs / 1_000}s`
  return duration(`The timeout of ${adapterNames[adapter]}${cap}.`, fallback)
}

function count(
  description: string,
  fallback?: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): JsonSchema {
  return {
    description,
    type: 'integer',
    minimum: 1,
    maximum,
    ...(fallback !== undefined && { default: fallback }),
  }
}

function amount(description: string): JsonSchema {
  return { description, type: 'number', minimum: 0, maximum: 1e9 }
}

function budget(of: string): JsonSchema {
  return group(
    {
      tokens: count(`Tokens of the requests and responses of ${of}.`),
      money: described(
        { type: 'number', exclusiveMinimum: 0, maximum: 1e9 },
        `The cost of ${of}, in the currency of the prices in models; all models need a price.`,
      ),
    },
    `Limits of ${of}.`,
  )
}

function globs(description: string): JsonSchema {
  const items = { type: 'string', minLength: 1, maxLength: 200 }
  return { description: `${description} * matches any characters.`, type: 'array', items, maxItems: 1_000 }
}

function toggle(description: string): JsonSchema {
  return { description, type: 'boolean' }
}

function verdict(description: string): JsonSchema {
  return { description, enum: ['ask', 'allow', 'deny'], default: 'ask' }
}

function rules(description: string): JsonSchema {
  return {
    description: `${description} Each rule is "tool" or "tool(glob)", where * matches anything.`,
    type: 'array',
    items: { type: 'string', pattern: rulePattern },
    default: [],
  }
}

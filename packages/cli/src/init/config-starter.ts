/**
 * The `config.json` that `curfew init` writes. Settings are commented out, because a value in the file overrides defaults that are
 * right for most projects.
 */
export const configStarter: string = `{
  // Curfew settings. Remove the // in front of a setting to use it.
  // Editors complete every setting from this schema; curfew config lists the effective values.
  "$schema": "./config.schema.json",

  // Durations are milliseconds, or strings with a unit: ms, s, m, h, d.

  // For calls that have no other limit. If set, it overrides the defaults of adapters; one above 3 minutes is only raised.
  // "toolCallTimeout": "3m",

  // An upper bound for every call. A project can only lower the user's value.
  // "maxToolCallTimeout": "30m",

  // By kind of tool.
  // "timeouts": { "script": "5m", "api": "60s", "mcp-stdio": "60s", "mcp-http": "60s", "subagent": "10m" },

  // For tools that someone else wrote. The longest matching pattern wins, for each setting separately.
  // "tools": { "mcp__github__*": { "timeout": "30s", "approval": "ask" } },

  // The model of the agent: google, anthropic or openai-compatible, and its name. curfew models checks that it responds.
  // "model": "anthropic:claude-sonnet-5-5",

  // How many calls run at the same time.
  // "concurrency": 8,

  // At a limit, calls end with LIMIT_EXCEEDED and the model is asked for a final answer.
  // "limits": { "callsPerTurn": 1000, "depth": 8, "continuations": 100 },

  // Without a rule, a tool that is not read-only asks for approval. deny overrides ask, which overrides allow.
  // Rules look like "script_weather", "timeout(npm test)" or "mcp__github__*". A project cannot loosen the user's rules.
  "approval": { "rules": { "allow": [], "ask": [], "deny": [] } },
}
`

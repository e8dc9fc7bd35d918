/**
 * A `config.json` to begin with. It sets nothing: a value that is written down beats defaults that are better
 * for most, so each stands there as a comment. Take away its `//`, and it counts.
 */
export const configStarter: object = {
  $schema: './config.schema.json',
  '//': 'Settings of Curfew. A key that begins with // is a comment: take the // away, and it counts.',
  '// more': 'Editors complete all settings from config.schema.json; curfew config shows what is in effect.',
  '// toolCallTimeout':
    'For calls where nothing else is written down; it beats the defaults of all adapters.',
  '//toolCallTimeout': '3m',
  '// maxToolCallTimeout': "No call takes longer. A project's can only lower the user's.",
  '//maxToolCallTimeout': '30m',
  '// timeouts': 'By kind of tool. Numbers are milliseconds; texts have a unit: ms, s, m, h, d.',
  '//timeouts': { script: '5m', api: '60s', 'mcp-stdio': '60s', 'mcp-http': '60s', subagent: '10m' },
  '// concurrency': 'How many calls run at once.',
  '//concurrency': 8,
  '// limits': 'At a limit, calls end with LIMIT_EXCEEDED and the model is asked for its last answer.',
  '//limits': { callsPerTurn: 1000, depth: 8, continuations: 100 },
  '// approval': 'Without a rule, a tool that is not read-only asks. deny beats ask beats allow.',
  '// rules':
    'Such as "script_weather", "timeout(git *)" or "mcp__github__*". A project cannot loosen the user\'s.',
  approval: { rules: { allow: [], ask: [], deny: [] } },
}

/** The agents whose servers can be imported. Separate, because declaring a command must not load its implementation. */
export const agentNames = [
  'claude',
  'claude-desktop',
  'cursor',
  'codex',
  'gemini',
  'vscode',
  'windsurf',
  'zed',
  'opencode',
] as const

export type AgentName = (typeof agentNames)[number]

export const agentSummary =
  'claude (Claude Code), claude-desktop, cursor, codex, gemini, vscode, windsurf, zed or opencode'

/**
 * The environment of a command under test: no colours unless the test sets them. Variables that affect colours, such as
 * `CI`, are not inherited.
 */
export function plainEnvironment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { CI, FORCE_COLOR, NODE_DISABLE_COLORS, COLORTERM, ...rest } = process.env
  return { ...rest, TERM: 'xterm-256color', NO_COLOR: '1', ...env }
}

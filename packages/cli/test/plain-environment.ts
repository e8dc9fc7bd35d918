/**
 * The environment of a command under test: no colours unless the test asks for them, and nothing of what decides
 * about colours (a CI's mark among it) comes from whoever runs the tests.
 */
export function plainEnvironment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { CI, FORCE_COLOR, NODE_DISABLE_COLORS, COLORTERM, ...rest } = process.env
  return { ...rest, TERM: 'xterm-256color', NO_COLOR: '1', ...env }
}

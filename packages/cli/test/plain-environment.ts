import { sharedState } from '../../../test/support/shared-state.ts'

/**
 * The environment of a command under test: no colours unless the test sets them. Variables that affect colours, such as
 * `CI`, are not inherited. Calls are not recorded in the folder of the person who runs the tests.
 */
export function plainEnvironment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { CI, FORCE_COLOR, NODE_DISABLE_COLORS, COLORTERM, ...rest } = process.env
  const XDG_STATE_HOME = 'HOME' in env ? '' : sharedState()
  return { ...rest, XDG_STATE_HOME, TERM: 'xterm-256color', NO_COLOR: '1', ...env }
}

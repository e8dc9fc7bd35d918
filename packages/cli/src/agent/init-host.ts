import type { CommandHost } from '@curfew/agent'

/** `/init`: as `curfew init`. */
export const initHost: NonNullable<CommandHost['init']> = async (args) => {
  const isForUser = args.includes('--user')
  const [unknown] = args.filter((arg) => arg !== (isForUser ? '--user' : '--project'))
  if (unknown !== undefined)
    return { type: 'error', message: `/init: expected --project or --user, got ${JSON.stringify(unknown)}` }
  const { createConfig } = await import('../init/run-init.ts')
  return { type: 'text', text: await createConfig(isForUser, '/init') }
}

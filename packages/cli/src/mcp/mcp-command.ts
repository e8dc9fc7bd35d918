import type { Command } from '../command.ts'

/** Only the module of the action that was asked for is loaded. */
const actions: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  add: () => import('./add-command.ts'),
  approve: () => import('./approve-command.ts'),
  import: () => import('./import-command.ts'),
  list: () => import('./list-command.ts'),
  test: () => import('./test-command.ts'),
}

export const command: Command = {
  async run(args) {
    const [name = '', ...rest] = args
    if (Object.hasOwn(actions, name)) return await (await actions[name]!()).command.run(rest)
    if (name !== '' && !name.startsWith('-')) await refuse(name)
    const { command: serve } = await import('./serve-command.ts')
    return await serve.run(args)
  },
}

async function refuse(name: string): Promise<never> {
  const [{ UsageError }, { didYouMean }] = await Promise.all([
    import('../command.ts'),
    import('@curfew/core/internal'),
  ])
  const hint = /^(remove|rm|delete|disable)$/.test(name)
    ? 'take the server out of its file (curfew mcp list shows which), or write "disabled": true there;'
    : didYouMean(name, Object.keys(actions)) || `there are ${Object.keys(actions).join(', ')};`
  throw new UsageError(
    `curfew mcp: there is no action ${JSON.stringify(name)}; ${hint} curfew mcp --help tells more`,
  )
}

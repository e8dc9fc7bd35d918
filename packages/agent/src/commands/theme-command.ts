import { didYouMean } from '@curfew/core/internal'
import type { CommandHost, ThemeHost } from './command-host.ts'
import { defineCommand, type SlashCommand } from './slash-command.ts'

/** `/theme [NAME]`. */
export const themeCommand: SlashCommand = defineCommand({
  name: 'theme',
  summary: 'Show or change the colours of the terminal',
  arguments: {
    name: {
      type: 'word',
      optional: true,
      summary: 'the name of a theme',
      complete: ({ theme }: CommandHost) =>
        theme!.list().map(({ name, description }) => ({ value: name, description })),
    },
  },
  isAvailable: ({ theme }) => theme !== undefined,
  async run({ host }, { name }) {
    const theme = host.theme!
    const themes = theme.list()
    if (name === undefined) {
      const choices = themes.map(({ name, description }) => ({ input: `/theme ${name}`, description }))
      return { type: 'choices', title: describeTheme(theme), choices }
    }
    const names = themes.map((one) => one.name)
    if (!names.includes(name)) {
      const hint = didYouMean(name, names) || `expected one of ${names.join(', ')}`
      return { type: 'error', message: `/theme: there is no theme ${JSON.stringify(name)}; ${hint}` }
    }
    await theme.select(name)
    return { type: 'text', text: describeTheme(theme) }
  },
})

function describeTheme(theme: ThemeHost): string {
  return `The theme is ${theme.current()}.`
}

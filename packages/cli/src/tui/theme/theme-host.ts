import type { CommandHost } from '@curfew/agent'
import { messageOf } from '@curfew/core/internal'
import { type Assignment, readAssignment, setConfig } from '@curfew/extensions/internal'
import type { ThemeSetting } from './choose-theme.ts'
import type { ThemeChoice } from './theme-choice.ts'

const descriptions: Readonly<Record<ThemeSetting, string>> = {
  auto: "dark or light, depending on the terminal's background",
  dark: 'colours for a dark background',
  light: 'colours for a light background',
  none: 'no colours',
}

/** `/theme`. `file` is the user's config.json. */
export function themeHost(
  choice: Pick<ThemeChoice, 'setting' | 'choose'>,
  file: string,
): NonNullable<CommandHost['theme']> {
  return {
    current: () => choice.setting,
    list: () => Object.entries(descriptions).map(([name, description]) => ({ name, description })),
    async select(name) {
      choice.choose(name as ThemeSetting)
      try {
        // The same as `curfew config set`.
        await setConfig({ file, userRoot: null }, [readAssignment(`ui.theme=${name}`) as Assignment])
      } catch (error) {
        throw new Error(`the theme ${name} is used until the end of the program: ${messageOf(error)}`, {
          cause: error,
        })
      }
    },
  }
}

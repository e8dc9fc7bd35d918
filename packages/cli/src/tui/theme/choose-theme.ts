import type { ThemeName } from './theme.ts'

/** `ui.theme`. */
export type ThemeSetting = 'auto' | 'dark' | 'light' | 'none'

export type Background = 'dark' | 'light'

export interface ThemeConditions {
  readonly env: Readonly<NodeJS.ProcessEnv>
  readonly setting: ThemeSetting
  /** What the terminal answered; `null` if it has not answered, or does not know. */
  readonly background: Background | null
  /** From `stdout.getColorDepth()`, in bits. */
  readonly colorDepth: number
}

/**
 * A theme that is set applies in spite of NO_COLOR, as no-color.org demands. `auto` follows FORCE_COLOR, NO_COLOR and the terminal's
 * background, which is assumed to be dark.
 */
export function chooseTheme({ env, setting, background, colorDepth }: ThemeConditions): ThemeName {
  if (env.TERM === 'dumb') return 'plain'
  if (setting !== 'auto') return setting
  // Node.js reports one bit for NO_COLOR, and what FORCE_COLOR asks for.
  if (colorDepth <= 1 || (env.NO_COLOR && env.FORCE_COLOR === undefined)) return 'none'
  return background ?? backgroundOf(env.COLORFGBG) ?? 'dark'
}

/** `15;0` or `0;default;15`: the last number is the background, one of the 16 colours. Set by rxvt, Konsole, iTerm2 and others. */
function backgroundOf(colors: string | undefined): Background | null {
  const found = /;(\d{1,2})$/.exec(colors ?? '')?.[1]
  if (found === undefined || Number(found) > 15) return null
  return Number(found) === 7 || Number(found) > 8 ? 'light' : 'dark'
}

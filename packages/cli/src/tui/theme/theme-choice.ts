import { type Background, chooseTheme, type ThemeSetting } from './choose-theme.ts'
import { type ColorCount, colorCount, type ThemeName } from './theme.ts'

interface ChoiceOptions {
  readonly env: Readonly<NodeJS.ProcessEnv>
  /** From `stdout.getColorDepth()`, in bits. */
  readonly colorDepth: number
  readonly setting: ThemeSetting
  /** The theme has changed. */
  readonly onChange: (name: ThemeName) => void
}

/** The theme that is used now. It changes when a person chooses another one, and when the terminal says what its background is. */
export class ThemeChoice {
  readonly colors: ColorCount
  readonly #options: ChoiceOptions
  #setting: ThemeSetting
  #background: Background | null = null

  constructor(options: ChoiceOptions) {
    this.#options = options
    this.#setting = options.setting
    this.colors = colorCount(options.colorDepth)
  }

  get setting(): ThemeSetting {
    return this.#setting
  }

  get name(): ThemeName {
    return chooseTheme({ ...this.#options, setting: this.#setting, background: this.#background })
  }

  choose(setting: ThemeSetting): void {
    this.#change(() => {
      this.#setting = setting
    })
  }

  setBackground(background: Background | null): void {
    this.#change(() => {
      this.#background = background
    })
  }

  #change(change: () => void): void {
    const before = this.name
    change()
    if (this.name !== before) this.#options.onChange(this.name)
  }
}

import type { ConfiguredValue } from './config-layer.ts'

/** How the terminal looks. */
export interface UiSettings {
  /** `auto`: dark or light, depending on the terminal. `none`: no colours. */
  readonly theme: 'auto' | 'dark' | 'light' | 'none'
  /** Only lines of plain text, without anything that is drawn over. */
  readonly screenReader: boolean
}

export function toUiSettings(values: ReadonlyMap<string, ConfiguredValue>): UiSettings {
  return {
    theme: (values.get('ui.theme')?.value ?? 'auto') as UiSettings['theme'],
    screenReader: values.get('ui.screenReader')?.value === true,
  }
}

/** Not options of the runtime. */
export function isAboutUi(key: string): boolean {
  return key.startsWith('ui.')
}

/** Why a project may not set this, or `null` if it may: it does not know the person's terminal. */
export function whyNotUi(key: string): string | null {
  return isAboutUi(key) ? 'a project cannot change how your terminal looks' : null
}

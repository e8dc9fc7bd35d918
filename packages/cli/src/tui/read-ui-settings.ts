import { join } from 'node:path'
import { readSmallFileIfAny } from '@curfew/core/internal'
import type { Config } from '@curfew/extensions'
import { starterRoot } from '../starter-root.ts'

const maxConfigBytes = 1 << 20

type UiSettings = Config['ui']

/** The settings that the first frame needs. If there are none, the configuration is not loaded before it. */
export async function readUiSettings(set: readonly string[]): Promise<UiSettings> {
  if (!set.some((one) => one.startsWith('ui.')) && !hasVariable() && !isInFile())
    return { theme: 'auto', screenReader: false }
  const { loadConfig } = await import('@curfew/extensions')
  return (await loadConfig({}, set)).ui
}

function hasVariable(): boolean {
  return Boolean(process.env.CURFEW_UI_THEME || process.env.CURFEW_UI_SCREEN_READER)
}

function isInFile(): boolean {
  const file = join(starterRoot(true).path, 'config.json')
  // Other problems are reported when the configuration is loaded.
  return readSmallFileIfAny(file, maxConfigBytes)?.includes('"ui"') ?? false
}

import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import type { EffectiveSetting } from '@curfew/extensions'
import { durationString } from '../duration-string.ts'
import { shortPath } from '../short-path.ts'
import { neutralise } from '../terminal.ts'

/** With the longest key and the longest variable, a line is then 80 columns wide. */
const maxValueWidth = 16

/** One line per value: its key, the value, and where it is set. */
export function showSettings(settings: readonly EffectiveSetting[]): string {
  const rows = settings.flatMap((setting, index) =>
    showValue(setting).map((value, line) => {
      const repeated = line > 0 || settings[index - 1]?.key === setting.key
      return { setting, key: repeated ? '' : setting.key, value, source: showSource(setting) }
    }),
  )
  const keyWidth = 2 + widest(rows.map(({ key }) => key.length))
  const valueWidth =
    2 + widest(rows.map(({ value }) => value.length).filter((length) => length <= maxValueWidth))
  return rows
    .map(({ setting, key, value, source }) => {
      const left = key.padEnd(keyWidth) + value
      // After a long value, the source gets its own line.
      const lineBreak = value.length > maxValueWidth ? `\n${' '.repeat(keyWidth + valueWidth)}` : ''
      const text = lineBreak === '' ? left.padEnd(keyWidth + valueWidth) + source : left + lineBreak + source
      return `${setting.source === 'default' ? styleText('dim', text) : text}\n`
    })
    .join('')
}

function widest(lengths: readonly number[]): number {
  return Math.max(0, ...lengths)
}

/** Each rule gets its own line. */
function showValue({ key, kind, value, source }: EffectiveSetting): readonly string[] {
  if (value === null) return [unset[key] ?? 'none']
  if (Array.isArray(value) && source === 'default' && value.length > 0) return [`${value.length} patterns`]
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : value.map(neutralise)
  if (kind === 'duration') return [showDuration(value as number)]
  if (kind === 'switch') return [value === true ? 'on' : 'off']
  return [neutralise(String(value))]
}

/** The value as `curfew config set` accepts it. */
export function formatSetting({ kind, value }: Pick<EffectiveSetting, 'kind' | 'value'>): string {
  if (Array.isArray(value)) return neutralise(JSON.stringify(value))
  return kind === 'duration' ? durationString(value as number) : neutralise(String(value))
}

const unset: Readonly<Record<string, string>> = {
  spillDirectory: 'temporary',
}

/** As `5 min` if that is exact, otherwise in milliseconds. */
function showDuration(ms: number): string {
  const step = ms < 1_000 ? 1 : ms < 60_000 ? 100 : ms < 3_600_000 ? 1_000 : 60_000
  return ms % step === 0 ? formatDuration(ms) : `${ms} ms`
}

export function showSource({ source, file, variable }: EffectiveSetting): string {
  if (source === 'flag') return '--set'
  return variable ?? (file === undefined ? source : shortPath(file))
}

/** Where each setting is set, such as `~/.config/curfew/config.json`. */
export function placeIn(settings: readonly EffectiveSetting[]): (key: string) => string | undefined {
  return (key) => {
    const setting = settings.find((one) => one.key === key)
    return setting === undefined ? undefined : showSource(setting)
  }
}

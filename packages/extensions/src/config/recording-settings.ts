import type { ConfiguredValue } from './config-layer.ts'
import { settingsByKey } from './config-settings.ts'

/** What is recorded about calls. */
export interface RecordingSettings {
  readonly journal: {
    readonly enabled: boolean
    readonly maxAgeDays: number
    readonly maxBytes: number
  }
  readonly log: {
    readonly enabled: boolean
    readonly level: LogLevel
    readonly maxBytes: number
    /** The number of old files. */
    readonly maxFiles: number
  }
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

const mebibyte = 1_048_576

export function toRecordingSettings(values: ReadonlyMap<string, ConfiguredValue>): RecordingSettings {
  const setting = (key: string): unknown => values.get(key)?.value ?? settingsByKey.get(key)!.fallback
  const count = (key: string): number => setting(key) as number
  return {
    journal: {
      enabled: setting('journal.enabled') === true,
      maxAgeDays: count('journal.maxAgeDays'),
      maxBytes: count('journal.maxSizeMb') * mebibyte,
    },
    log: {
      enabled: setting('log.enabled') === true,
      level: setting('log.level') as LogLevel,
      maxBytes: count('log.maxSizeMb') * mebibyte,
      maxFiles: count('log.maxFiles'),
    },
  }
}

/** Not options of the runtime. */
export function isAboutRecording(key: string): boolean {
  return key.startsWith('journal.') || key.startsWith('log.')
}

/** Why a project may not set this, or `null` if it may: its calls could be hidden, or the user's disk filled. */
export function whyNotRecording(key: string): string | null {
  return isAboutRecording(key) ? 'a project cannot change what is recorded' : null
}

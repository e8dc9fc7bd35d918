export type { LogFields, LogLevel } from './log/log-level.ts'
export { type LogAttachOptions, type LogOptions, openLog, type ProjectLog } from './log/open-log.ts'
export {
  type AttachOptions,
  type Journal,
  type JournalOptions,
  openJournal,
  startJournal,
} from './open-journal.ts'
export type { JournalCall, JournalRun, JournalStatus } from './store/journal-call.ts'

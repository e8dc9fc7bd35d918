export { type AskedProcess, type AskProcessesOptions, askProcesses } from './control/ask-processes.ts'
export { type CancelByIdOptions, type CancelOutcome, cancelById } from './control/cancel-by-id.ts'
export type { CallEnd } from './control/cancel-call.ts'
export { type ControlClient, type ControlListener, connectControl } from './control/connect-control.ts'
export { controlFolders } from './control/control-folder.ts'
export { ControlError } from './control/control-messages.ts'
export type { ControlHandler, ControlStream, ControlStreamHandler } from './control/control-methods.ts'
export { listOpenBreakers, type ProcessBreaker } from './control/list-open-breakers.ts'
export { type ListProcessesOptions, listProcesses } from './control/list-processes.ts'
export type { RunningCall } from './control/running-call.ts'
export type { Contact, RunningProcess } from './control/running-process.ts'
export type { Control } from './control/start-control.ts'
export { type ProcessWatch, watchProcesses } from './control/watch-processes.ts'
export { LogFile, type LogFileOptions } from './log/log-file.ts'
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
export { journalPath } from './store/journal-path.ts'
export type { FoundCall, MissingCall } from './store/query-call.ts'
export type { JournalQuery } from './store/query-ids.ts'
export type { ToolFailure, ToolLimit, ToolTimes } from './store/query-tool-times.ts'
export {
  type JournalFollower,
  type JournalReader,
  type ReadJournalOptions,
  readJournal,
} from './store/read-journal.ts'
export type { LostCall } from './store/writer-messages.ts'

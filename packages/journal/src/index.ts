export { type AttachOptions, type Journal, type JournalOptions, openJournal } from './open-journal.ts'
export type { JournalCall, JournalRun, JournalStatus } from './store/journal-call.ts'

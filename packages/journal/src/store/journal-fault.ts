/**
 * - `busy`: another process is writing; the next attempt may succeed.
 * - `temporary`: somebody has to do something, such as free some space.
 * - `missing`: the file was deleted or replaced.
 * - `final`: it cannot be written by this process.
 */
export type FaultKind = 'busy' | 'temporary' | 'missing' | 'final'

/** Why the journal cannot be written. */
export class JournalFault extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Primary result codes of SQLite. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notDatabase: 26,
}

export function faultOf(error: unknown): JournalFault {
  if (error instanceof JournalFault) return error
  const { errcode = 0, message } = error as { errcode?: number; message: string }
  switch (errcode & 0xff) {
    case codes.busy:
    case codes.locked:
      return new JournalFault('busy', 'another process has locked it')
    case codes.full:
      return new JournalFault('temporary', 'the disk is full; free some space')
    case codes.readOnly:
      return new JournalFault('temporary', 'it is read-only; make the file and its folder writable')
    case codes.io:
    case codes.cannotOpen:
      return new JournalFault('temporary', `${message}; check the disk and the permissions of the folder`)
    case codes.corrupt:
      return new JournalFault('final', 'it is damaged; move it away to start a new journal')
    case codes.notDatabase:
      return new JournalFault('final', 'it is not a journal; move it away to start a new one')
    default:
      return new JournalFault('final', String(message))
  }
}

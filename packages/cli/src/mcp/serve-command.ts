import { type Command, UsageError } from '../command.ts'

export const command: Command = {
  run() {
    throw new UsageError('curfew mcp: it cannot serve yet; say add, approve, import, list or test')
  },
}

import { dirname } from 'node:path'
import { type RawServerEntry, readServer } from '@curfew/mcp/config'

interface CheckedEntry {
  /** Why the entry is invalid. */
  readonly errors: readonly string[]
  /** Warnings, and reasons why it cannot be used at the moment, such as a variable that is not set. */
  readonly notes: readonly string[]
}

/** Validates a server's entry before it is written. */
export function checkEntry(file: string, name: string, entry: RawServerEntry): CheckedEntry {
  const check = (env: Readonly<NodeJS.ProcessEnv>): readonly EntryProblem[] =>
    readServer(name, entry, { file, root: dirname(file), env }).problems.map(
      ({ severity, field, message }) => {
        const inside = field?.slice(`mcpServers.${name}.`.length) ?? ''
        return { severity, text: inside === '' ? message : `${inside}: ${message}` }
      },
    )
  const errors = check(allVariablesSet)
    .filter(({ severity }) => severity === 'error')
    .map(({ text }) => text)
  return { errors, notes: errors.length > 0 ? [] : check(process.env).map(({ text }) => text) }
}

interface EntryProblem {
  readonly severity: 'error' | 'warning'
  readonly text: string
}

/** An environment in which every variable is set. */
const allVariablesSet: Readonly<NodeJS.ProcessEnv> = new Proxy(
  {},
  {
    get: () => 'x',
    getOwnPropertyDescriptor: () => ({ value: 'x', configurable: true, enumerable: true }),
  },
)

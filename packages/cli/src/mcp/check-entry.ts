import { dirname } from 'node:path'
import { type RawServerEntry, readServer } from '@curfew/mcp/config'

interface CheckedEntry {
  /** Why it could never be used. */
  readonly wrong: readonly string[]
  /** Why it cannot be used as things are, such as a variable that is not set; and what is not as it was meant. */
  readonly notes: readonly string[]
}

/** Would this be read as it was meant? */
export function checkEntry(file: string, name: string, entry: RawServerEntry): CheckedEntry {
  const look = (env: Readonly<NodeJS.ProcessEnv>): readonly Said[] =>
    readServer(name, entry, { file, root: dirname(file), env }).problems.map(
      ({ severity, field, message }) => {
        const inside = field?.slice(`mcpServers.${name}.`.length) ?? ''
        return { severity, text: inside === '' ? message : `${inside}: ${message}` }
      },
    )
  const wrong = look(everythingSet)
    .filter(({ severity }) => severity === 'error')
    .map(({ text }) => text)
  return { wrong, notes: wrong.length > 0 ? [] : look(process.env).map(({ text }) => text) }
}

interface Said {
  readonly severity: 'error' | 'warning'
  readonly text: string
}

/** An environment in which nothing is missing. */
const everythingSet: Readonly<NodeJS.ProcessEnv> = new Proxy(
  {},
  {
    get: () => 'x',
    getOwnPropertyDescriptor: () => ({ value: 'x', configurable: true, enumerable: true }),
  },
)

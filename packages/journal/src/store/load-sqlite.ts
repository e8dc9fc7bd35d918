type Sqlite = typeof import('node:sqlite')

let loaded: Sqlite | null = null

/** Node 22 reports `node:sqlite` as experimental when it is loaded; a person who runs a command can do nothing about that. */
export function loadSqlite(): Sqlite {
  if (loaded !== null) return loaded
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    const isExpected = rest[0] === 'ExperimentalWarning' && String(warning).includes('SQLite')
    if (!isExpected) Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof emitWarning
  try {
    loaded = process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
  return loaded
}

import type * as Sqlite from 'node:sqlite'

let loaded: typeof Sqlite | undefined

/** Loads SQLite on first use, without the warning of older versions of Node that it is experimental. */
export function loadSqlite(): typeof Sqlite {
  loaded ??= withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite'))
  return loaded
}

/** Only what is emitted while `load` runs is affected, and it must not wait for anything. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, [warning, ...rest])
  }
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

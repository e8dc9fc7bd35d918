/**
 * Without a listener, SIGUSR1 makes Node open a port through which every user of this machine can run code as the user of `curfew`.
 * If the signal arrived during startup, the port is closed again, unless the command line requested a debugger.
 */
module.exports = function neverOpenInspector() {
  process.on('SIGUSR1', () => {})
  const isRequested = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) =>
    option.includes('--inspect'),
  )
  if (isRequested || process._debugEnd === undefined) return
  process._debugEnd()
  // It may not have opened yet.
  setImmediate(() => process._debugEnd())
}

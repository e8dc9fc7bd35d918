/**
 * SIGUSR1 makes Node open a port through which anybody on this machine can run code as whoever runs `curfew`. With a listener
 * it does not. One that arrived while Node was starting is undone, unless a debugger was asked for on the command line.
 */
module.exports = function neverOpenInspector() {
  process.on('SIGUSR1', () => {})
  const wanted = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) =>
    text.includes('--inspect'),
  )
  if (wanted || process._debugEnd === undefined) return
  process._debugEnd()
  // It may still be about to open.
  setImmediate(() => process._debugEnd())
}

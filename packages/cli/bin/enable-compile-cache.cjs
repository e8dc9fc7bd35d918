const { lstatSync, mkdirSync, realpathSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { homedir } = require('node:os')
const { dirname, isAbsolute, join } = require('node:path')

/**
 * Node runs whatever it finds in this folder, so nobody else may be able to write to it. Where that cannot be had, we start a
 * little slower.
 */
module.exports = function enableCompileCacheSafely() {
  // Without users, as on Windows, there is nothing to check.
  if (process.getuid === undefined) return
  try {
    const folder = ownFolder()
    if (folder !== null) enableCompileCache(folder)
  } catch {
    // There is no such folder, or it cannot be written to.
  }
}

function ownFolder() {
  const { XDG_CACHE_HOME } = process.env
  // Where there are no caches yet, as in a home made for a test, we do not begin with them.
  const base = realpathSync(isAbsolute(XDG_CACHE_HOME ?? '') ? XDG_CACHE_HOME : join(homedir(), '.cache'))
  // Checked before anything is made: with sudo, this may be the home of somebody else.
  if (!isSafe(base)) return null
  const folder = join(base, 'curfew', 'compiled')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const real = realpathSync(folder)
  const { mode, uid } = lstatSync(real)
  return uid === process.getuid() && (mode & 0o077) === 0 && isSafe(real) ? real : null
}

/** Can nobody but root and us replace it, or a folder that it is in? */
function isSafe(path) {
  const { mode, uid } = lstatSync(path)
  const isOurs = uid === process.getuid() || uid === 0
  // In a folder such as /tmp everybody can write, but not replace what others own.
  const isClosed = (mode & 0o022) === 0 || (mode & 0o1000) !== 0
  return isOurs && isClosed && (path === dirname(path) || isSafe(dirname(path)))
}

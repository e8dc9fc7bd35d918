const { lstatSync, mkdirSync, realpathSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { homedir } = require('node:os')
const { dirname, isAbsolute, join } = require('node:path')

/**
 * Node runs whatever it finds in the cache folder, so no other user may be able to write to it. Without a safe folder there is no cache,
 * and startup is slower.
 */
module.exports = function enableCompileCacheSafely() {
  // Windows has no owners and modes to check.
  if (process.getuid === undefined) return
  try {
    const folder = ownFolder()
    if (folder !== null) enableCompileCache(folder)
  } catch {
    // The folder does not exist or is not writable.
  }
}

function ownFolder() {
  const { XDG_CACHE_HOME } = process.env
  // Throws if the user has no cache folder: we do not create one.
  const base = realpathSync(isAbsolute(XDG_CACHE_HOME ?? '') ? XDG_CACHE_HOME : join(homedir(), '.cache'))
  // Checked before anything is created, because with sudo this may be another user's home.
  if (!isSafe(base)) return null
  const folder = join(base, 'curfew', 'compiled')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const real = realpathSync(folder)
  const { mode, uid } = lstatSync(real)
  return uid === process.getuid() && (mode & 0o077) === 0 && isSafe(real) ? real : null
}

/** True if only root and we can replace the path or a folder above it. */
function isSafe(path) {
  const { mode, uid } = lstatSync(path)
  const isOurs = uid === process.getuid() || uid === 0
  // In a sticky folder such as /tmp, users cannot replace each other's files.
  const isProtected = (mode & 0o022) === 0 || (mode & 0o1000) !== 0
  return isOurs && isProtected && (path === dirname(path) || isSafe(dirname(path)))
}

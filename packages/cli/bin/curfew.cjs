#!/usr/bin/env node
// ES5 syntax, so that every version of Node can parse this file and report which version is required.
var version = process.versions.node.split('.')
var major = Number(version[0])
if (major < 22 || (major === 22 && Number(version[1]) < 13)) {
  process.stderr.write('curfew requires Node 22.13 or newer, got Node ' + process.versions.node + '\n')
  process.exit(1)
}
require('./never-open-inspector.cjs')()
require('./enable-compile-cache.cjs')()
// `timeout` has its own bundle, because it runs in front of other commands: see scripts/bundle-cli.ts.
var isTimeout = process.argv[2] === 'timeout' || /[\\/]timeout$/.test(process.argv[1])
require(isTimeout ? '../bundle/timeout.cjs' : '../bundle/main.cjs')

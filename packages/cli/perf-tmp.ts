import { EventEmitter } from 'node:events'
import { render } from 'ink'
import React from 'react'
import { createRuntime, defineTool } from '@curfew/core'
import { LiveCalls } from '/work/w/rows/packages/cli/dist/tui/calls/live-calls.js'
import { LiveCallTree } from '/work/w/rows/packages/cli/dist/tui/calls/live-call-tree.js'
import { FrameClock } from '/work/w/rows/packages/cli/dist/tui/calls/frame-clock.js'
import { createTheme } from '/work/w/rows/packages/cli/dist/tui/theme/theme.js'
const n = Number(process.argv[2]), lps = Number(process.argv[3]), concurrent = process.argv[4] === 'c', maxRows = Number(process.argv[5] ?? 20)
class Out extends EventEmitter { columns = 100; rows = 60; isTTY = true; bytes = 0; writes = 0; write(c: any, ...r: any[]) { this.bytes += String(c).length; this.writes++; for (const f of r) if (typeof f === 'function') f(); return true } }
const out = new Out()
const runtime = createRuntime({ approval: 'allow', log: () => {}, concurrency: 100 })
runtime.register(defineTool({ name: 'emit', description: 'x', readOnly: true, concurrent: true, timeout: '2m', parameters: { type: 'object', properties: { i: { type: 'number' } } } as const, execute: ({ i }, { output, signal }) => new Promise((res) => {
  let k = 0
  const t = lps > 0 && i === 0 ? setInterval(() => { for (let j = 0; j < lps / 100; j++) output(`line ${k++} of the output of a command that prints a lot\n`) }, 10) : null
  signal.addEventListener('abort', () => { if (t) clearInterval(t); res(0) })
}) }))
const tree = new LiveCallTree(runtime), clock = new FrameClock(), theme = createTheme('dark')
const app = render(React.createElement(LiveCalls, { runtime, tree, clock, width: 100, maxRows, theme }), { stdout: out as any, stdin: new EventEmitter() as any, interactive: true, incrementalRendering: true, concurrent, patchConsole: false, exitOnCtrlC: false })
void runtime.execute(Array.from({ length: n }, (_, i) => ({ id: `c${i}`, name: 'emit', params: { i } })))
setTimeout(() => {
  const s = process.cpuUsage(), t = performance.now(), b = out.bytes, w = out.writes
  setTimeout(() => {
    const u = process.cpuUsage(s), ms = performance.now() - t
    console.log(`n=${n} lps=${lps} ${concurrent ? 'concurrent' : 'legacy'}: ${(((u.user + u.system) / 1000 / ms) * 100).toFixed(1)} % CPU, ${((out.writes - w) / ms * 1000).toFixed(0)} writes/s ${((out.bytes - b) / ms * 1000).toFixed(0)} B/s`)
    app.unmount(); runtime.close().then(() => process.exit())
  }, 6000)
}, 2000)

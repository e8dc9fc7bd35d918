import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import { graceMs, type Scene } from '../scene.ts'

const blockThread = defineTool({
  name: 'block_thread',
  description: 'Run while (true) {} in a thread.',
  timeout: '2s',
  readOnly: true,
  concurrent: true,
  isolation: 'thread',
  execute: { module: new URL('./blocking-tool.js', import.meta.url), export: 'blockForever' },
})

const tick = defineTool({
  name: 'tick',
  description: 'Tick every 100 ms in the main thread.',
  timeout: '5s',
  readOnly: true,
  concurrent: true,
  async execute(_params, { signal }) {
    for (let ticks = 0; ticks < 15; ticks++) await sleep(100, undefined, { signal })
    return '15 ticks in the main thread'
  },
})

export const blockedThread: Scene = {
  title: 'A tool runs while (true) {}. Unisolated, that blocks every timer.',
  async run(runner) {
    runner.use(blockThread, tick)
    await runner.batch([
      {
        name: 'block_thread',
        expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 2_000 + graceMs },
      },
      { name: 'tick', expect: { status: 'success', endsAtMs: 1_500, contentIncludes: '15 ticks' } },
    ])
    runner.claim(
      `isolation: 'thread' ran it in a worker, terminated ${graceMs} ms after the limit`,
      await threadsEnd(),
    )
  },
}

/** Waits for the terminated thread, which takes a few milliseconds. */
async function threadsEnd(): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) {
    if (!process.getActiveResourcesInfo().includes('MessagePort')) return true
    await sleep(20)
  }
  return false
}

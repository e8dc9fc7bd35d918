import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@curfew/core'
import { graceMs, type Scene } from '../scene.ts'

const waitForever = defineTool({
  name: 'wait_forever',
  description: 'Wait for a response that never comes.',
  timeout: '1s',
  readOnly: true,
  execute: (_params, { signal }) => sleep(2 ** 31 - 1, undefined, { signal }),
})

export const neverReturns: Scene = {
  title: 'A tool never returns. The call ends at its limit anyway.',
  async run(runner) {
    runner.use(waitForever)
    const result = await runner.call({
      name: 'wait_forever',
      expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 },
    })
    runner.claim(`the model reads: ${result.content}`, result.status === 'error' && result.retrySafe)
  },
}

const ignoreSignal = defineTool({
  name: 'ignore_signal',
  description: 'Never settle, and ignore the signal.',
  timeout: '1s',
  readOnly: true,
  execute: () => new Promise(() => {}),
})

export const ignoredSignal: Scene = {
  title: 'A tool ignores its signal. The call still ends, after a grace period.',
  async run(runner) {
    runner.use(ignoreSignal)
    await runner.call({
      name: 'ignore_signal',
      expect: { status: 'error', code: 'TOOL_TIMEOUT', endsAtMs: 1_000 + graceMs, abandoned: true },
    })
    const { abandonedRunning } = runner.runtime.getSnapshot().late
    runner.claim(
      `the call ended ${graceMs} ms after its limit; abandoned functions: ${abandonedRunning}`,
      abandonedRunning === 1,
    )
  },
}

const crawl = defineTool({
  name: 'crawl',
  description: 'Crawl three pages and get stuck on the fourth.',
  timeout: '1m',
  idleTimeout: '1s',
  readOnly: true,
  async execute(_params, { signal, output }) {
    for (let page = 1; page <= 3; page++) {
      await sleep(400, undefined, { signal })
      output(`page ${page}\n`)
    }
    await sleep(60_000, undefined, { signal })
  },
})

export const silence: Scene = {
  title: 'A tool goes silent. Its total limit alone would allow a full minute.',
  async run(runner) {
    runner.use(crawl)
    await runner.call({
      name: 'crawl',
      summary: ({ output }) => `TOOL_IDLE_TIMEOUT, kept ${output.split('\n').length - 1} lines`,
      expect: {
        status: 'error',
        code: 'TOOL_IDLE_TIMEOUT',
        endsAtMs: 2_200,
        outputIncludes: 'page 3',
        contentIncludes: 'page 3',
      },
    })
  },
}

const build = defineTool({
  name: 'build',
  description: 'Build something in ten steps.',
  timeout: '5s',
  readOnly: true,
  async execute(_params, { signal, output }) {
    for (let step = 1; step <= 10; step++) {
      await sleep(400, undefined, { signal })
      output(`step ${step} `)
    }
  },
})

export const cancelled: Scene = {
  title: 'You press ESC. The call is cancelled, and its output so far is kept.',
  async run(runner) {
    runner.use(build)
    const user = new AbortController()
    const escapeKey = setTimeout(() => user.abort('ESC was pressed'), 1_400)
    await runner.call(
      {
        name: 'build',
        summary: ({ output }) => `CANCELLED, kept "${output.trim()}"`,
        expect: {
          status: 'cancelled',
          code: 'CANCELLED',
          endsAtMs: 1_400,
          outputIncludes: 'step 1',
          contentIncludes: 'step 1',
        },
      },
      user.signal,
    )
    clearTimeout(escapeKey)
  },
}

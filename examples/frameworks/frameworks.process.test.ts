import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))

/** The frameworks would report to their vendors. */
const env = { ...process.env, MASTRA_TELEMETRY_DISABLED: '1', LANGSMITH_TRACING: 'false' }

test.each(['openai-agents.ts', 'langchain.ts', 'mastra.ts'])(
  '%s: order, denial, deadline and output work',
  async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: here, env })
    expect(stdout).toMatch(/^call_1: written\ncall_2: A\ncall_3: written\ncall_4: B\ncall_5: DENIED: /m)
    expect(stdout).toMatch(/^call_6: TOOL_TIMEOUT: [\s\S]*Output so far:\ncompiling$/m)
    expect(stdout).toMatch(/^live: build: compiling$/m)
    expect(stdout).toMatch(/^answer: done$/m)
  },
)

test('the examples are valid TypeScript', async () => {
  await promisify(execFile)('npx', ['tsc', '-p', '.'], { cwd: here })
})

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const expected: Record<string, RegExp[]> = {
  'word-count.ts': [/^\{"words":3\}$/m],
  'approvals.ts': [
    /^docs\/guide\.md: success/m,
    /^src\/main\.ts: success/m,
    /^README\.md: error: DENIED: .*only files under src/m,
    /^src\/\.env: error: DENIED: .*rule "write_file\(\*\.env\)"/m,
  ],
  'frameworks/ai-sdk.ts': [
    /^live: build: compiling$/m,
    /^call_2: A$/m,
    /^call_4: B$/m,
    /^call_5: execution-denied: DENIED: /m,
    /^call_6: TOOL_TIMEOUT: /m,
    /^answer: done$/m,
  ],
  'telemetry-sdk.ts': [],
  'telemetry.ts': [
    /^command: TRACEPARENT=00-[\da-f]{32}-[\da-f]{16}-01$/m,
    /^It is deployed\.$/m,
    /^invoke_agent releaser$\n {2}chat example-1$\n {2}execute_tool deploy$\n {4}execute_tool timeout$\n {2}chat example-1$/m,
  ],
  'agent-loop.ts': [/^[1-6]\b/m, /\b3 of 4\b/, /\b4 of 4\b/, /final answer/],
}

const programs = readdirSync(here).filter((name) => name.endsWith('.ts') && !name.includes('.test.'))

test.each([...programs, 'frameworks/ai-sdk.ts'])('%s runs and prints the expected lines', async (name) => {
  expect(Object.keys(expected)).toContain(name)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [name], { cwd: here })
  expect(stderr).toBe('')
  for (const line of expected[name]!) expect(stdout).toMatch(line)
})

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** A project that has installed the package, with `skipLibCheck: false` and neither @types/node nor the DOM library. */
let project: string

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'curfew-types-'))
  mkdirSync(join(project, 'node_modules/@curfew'), { recursive: true })
  symlinkSync(resolve('packages/core'), join(project, 'node_modules/@curfew/core'))
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

const program = `
  const runtime = createRuntime({ toolCallTimeout: '5s', clock: createFakeClock() })
  runtime.register(
    defineTool({
      name: 'echo',
      description: 'Echo a string.',
      execute: (_params, { signal, meta }) => [signal.aborted, meta],
    }),
  )
  const [result]: CallResult[] = await runtime.execute([{ id: 'a', name: 'echo' }])
  if (result?.status === 'error' && result.cause instanceof CurfewError) throw result.cause
  if (result?.status === 'success') result.value
  const mirror = createMirror()
  mirror.reset(runtime.getSnapshot())
  runtime.subscribe((delta) => mirror.apply(delta))
  const { calls, questions } = mirror.getSnapshot()
  runtime.onOutput(({ uid, stream, text, offset }) => [calls[0]?.uid === uid, stream, text, offset, questions])
  await runtime[Symbol.asyncDispose]()
`

const esm = `
import { type CallResult, createRuntime, CurfewError, defineTool } from '@curfew/core'
import { createMirror } from '@curfew/core/rows'
import { createFakeClock } from '@curfew/core/testing'
export const describe = (error: CurfewError): string => error.code
export async function run(): Promise<void> {${program}}
`

const commonJsWithImport = `
import type { CallResult, Runtime } from '@curfew/core' with { 'resolution-mode': 'import' }
export async function run(): Promise<void> {
  const { createRuntime, CurfewError, defineTool } = await import('@curfew/core')
  const { createMirror } = await import('@curfew/core/rows')
  const { createFakeClock } = await import('@curfew/core/testing')
  const close = (runtime: Runtime): Promise<void> => runtime.close()
  await close(createRuntime())
${program}}
`

test.each([
  ['an ES module', 'main.mts', esm, 'node16', ['es2023']],
  ['an ES module with the DOM library', 'main.mts', esm, 'node16', ['es2023', 'dom']],
  ['a CommonJS module that uses import()', 'main.cts', commonJsWithImport, 'node16', ['es2023']],
  ['a CommonJS module', 'main.cts', esm, 'node16', ['es2023']],
  ['a CommonJS module that requires ES modules', 'main.cts', esm, 'node20', ['es2023']],
])(
  '%s type-checks',
  async (_name, file, source, module, lib) => {
    writeFileSync(join(project, file), source)
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2023',
      lib,
      module,
      types: [],
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))
    expect(await typeErrors()).toBe('')
  },
  60_000,
)

async function typeErrors(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(resolve('node_modules/.bin/tsc'), ['-p', project])
    return stdout
  } catch (error) {
    return String((error as { stdout?: string }).stdout)
  }
}

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

async function run(...args: readonly string[]): Promise<string[]> {
  const cwd = join(root, 'packages', 'journal')
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
  return stdout.trim().split('\n')
}

test('without @opentelemetry/api, tracing is rejected with the fix', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-no-telemetry-'))
  try {
    // Everything that the package needs, except for OpenTelemetry.
    for (const name of ['core', 'extensions', 'journal'])
      await link(join(root, 'packages', name), join(folder, 'node_modules', '@curfew', name))
    const program = join(folder, 'program.mjs')
    await writeFile(
      program,
      `
        import { createRuntime } from '@curfew/core'
        import { traceModel, traceRuntime, traceTurns } from '@curfew/journal/telemetry'
        const runtime = createRuntime()
        for (const start of [() => traceRuntime(runtime), () => traceTurns(runtime), () => traceModel({})])
          try {
            start()
            console.log('started')
          } catch (error) {
            console.log(error.code, error.message)
          }
      `,
    )
    const line =
      'INVALID_OPTION @curfew/journal/telemetry requires @opentelemetry/api, which is not installed; run: npm install @opentelemetry/api'
    expect(await run('--preserve-symlinks', program)).toEqual([line, line, line])
  } finally {
    await rm(folder, { recursive: true })
  }
})

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

test('only tracing loads it', async () => {
  const code = `
    import { createRequire } from 'node:module'
    const loaded = () =>
      Object.keys(createRequire(import.meta.url).cache).filter((file) => file.includes('@opentelemetry')).length > 0
    await import('@curfew/journal')
    const { traceModel } = await import('@curfew/journal/telemetry')
    console.log(loaded())
    traceModel({})
    console.log(loaded())
  `
  expect(await run('--input-type=module', '-e', code)).toEqual(['false', 'true'])
  const modules = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (url.includes('/dist/telemetry/') || url.includes('@opentelemetry')) console.log(url)
        return next(url, context)
      },
    })
    await import('@curfew/journal')
    console.log('loaded')
  `
  expect(await run('--input-type=module', '-e', modules)).toEqual(['loaded'])
})

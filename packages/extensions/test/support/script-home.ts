import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type CallResult, createRuntime, type Runtime } from '@curfew/core'
import { type Extensions, loadExtensions } from '@curfew/extensions'
import { afterEach, beforeEach } from 'vitest'

export let home: string
export let project: string
export let runtime: Runtime

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'curfew-home-'))
  project = mkdtempSync(join(tmpdir(), 'curfew-project-'))
  runtime = createRuntime({ approval: 'allow', log: () => {} })
})

afterEach(async () => {
  await runtime.close()
  for (const folder of [home, project]) rmSync(folder, { recursive: true, force: true })
})

export const user = (): string => join(home, '.config', 'curfew')
export const load = (env: Record<string, string> = {}): Promise<Extensions> =>
  loadExtensions({ cwd: project, env: { HOME: home, ...env } })

/** A script tool of the user, or of another root. */
export function script(
  name: string,
  definition: unknown,
  files: Record<string, string>,
  root = user(),
): string {
  const folder = join(root, 'extensions', 'scripts', name)
  const all = {
    'tool.json': typeof definition === 'string' ? definition : JSON.stringify(definition),
    ...files,
  }
  for (const [file, text] of Object.entries(all)) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    if (text.startsWith('#!')) chmodSync(path, 0o755)
  }
  return folder
}

export async function call(name: string, params: unknown = {}, timeout?: number): Promise<CallResult> {
  const { tools } = await load()
  const unregister = runtime.register(tools.map(({ tool }) => tool))
  const [result] = await runtime.execute([
    { id: '1', name, params, ...(timeout !== undefined && { timeout }) },
  ])
  unregister()
  return result!
}

export const shell = (lines: string): Record<string, string> => ({ 'script.sh': `#!/bin/sh\n${lines}\n` })
export const described = { description: 'Do something.' }

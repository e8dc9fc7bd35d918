import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWorkspace, fileTools, type WorkspaceOptions } from '@curfew/agent/tools'
import { type CallResult, createRuntime, type Runtime, type RuntimeOptions } from '@curfew/core'
import { onTestFinished } from 'vitest'

export interface FileSetup {
  /** Contains the workspace, so that tests can look at what is outside of it. */
  readonly base: string
  readonly root: string
  readonly runtime: Runtime
  /** The text of the result; `CODE: message` of an error. */
  call(name: string, params: object): Promise<string>
  result(name: string, params: object): Promise<CallResult>
  write(path: string, content: string | Buffer): void
  read(path: string): string
  /** Every file and link below `base`, without `root` itself. */
  all(): readonly string[]
}

export function setUpFiles(
  options: RuntimeOptions = { approval: 'allow' },
  more: Partial<WorkspaceOptions> = {},
): FileSetup {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-files-')))
  const root = join(base, 'project')
  mkdirSync(root)
  const runtime = createRuntime({ log: () => {}, loops: false, ...options })
  runtime.register(fileTools(createWorkspace({ root, ...more })))
  onTestFinished(async () => {
    await runtime.close()
    rmSync(base, { recursive: true, force: true })
  })
  let id = 0
  const result = async (name: string, params: object): Promise<CallResult> => {
    const [only] = await runtime.execute([{ id: String(++id), name, params }])
    return only!
  }
  return {
    base,
    root,
    runtime,
    result,
    async call(name, params) {
      const one = await result(name, params)
      return one.status === 'success' ? one.content : `${one.code}: ${one.message}`
    },
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    },
    read: (path) => readFileSync(join(root, path), 'utf8'),
    all: () =>
      readdirSync(base, { recursive: true })
        .map(String)
        .filter((path) => path !== 'project')
        .sort(),
  }
}

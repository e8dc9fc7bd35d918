import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TmuxTerminal } from '../../packages/cli/test/tmux-terminal.ts'
import {
  type ModelServerOptions,
  startModelServer,
} from '../../packages/torture/src/model-server/start-model-server.ts'

const bin = fileURLToPath(new URL('../../packages/cli/bin/curfew.cjs', import.meta.url))

export const columns = 98
/** More than the scene takes. */
const rows = 60
export const question = 'Uploads hang when the server stops answering. Can you fix that?'

const upload = `export async function upload(part: Part): Promise<void> {
  await send(part)
}
`

/** A conversation about an upload that hangs. The last batch has three calls: one has ended, one is running, one needs an approval. */
const script: ModelServerOptions['script'] = [
  [{ call: { name: 'read_file', input: { path: 'src/upload.ts' } } }],
  [
    { text: '`send` waits **forever** if the server stops answering. Each part needs a limit:' },
    { call: { name: 'search_files', input: { pattern: 'send' } } },
    { call: { name: 'script_test', input: {} } },
    {
      call: {
        name: 'edit_file',
        input: {
          path: 'src/upload.ts',
          edits: [{ old_string: 'send(part)', new_string: 'send(part, { timeout: 30_000 })' }],
        },
      },
    },
  ],
]

/** The runner of the tests that hang. */
const tests = `#!/bin/sh
for name in hash parts queue resume retry sync; do echo "✓ test/$name.test.ts"; done >&2
echo "… test/upload.test.ts" >&2
sleep 600
`

/** Runs the built `curfew` in tmux, and returns the styled screen. */
export async function recordScene(theme: 'dark' | 'light'): Promise<string> {
  const home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-image-'))
  const server = await startModelServer({ format: 'openai', script, requiresKey: false })
  const project = join(home, 'photo-sync')
  writeFiles(home, {
    'bin/curfew': `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`,
    '.config/curfew/config.json': JSON.stringify({
      model: `openai-compatible:qwen3-coder@${server.url}`,
      ui: { theme },
      tools: { script_test: { readOnly: true, concurrent: true } },
    }),
    'photo-sync/src/upload.ts': upload,
    'photo-sync/test/upload.test.ts': '',
    'photo-sync/.curfew/extensions/scripts/test/tool.json': JSON.stringify({
      description: 'Run the tests.',
      timeout: 30,
      // So that files can be edited while it is running.
      resources: [],
    }),
    'photo-sync/.curfew/extensions/scripts/test/script.sh': tests,
  })
  const terminal = new TmuxTerminal(
    project,
    {
      HOME: home,
      PATH: `${join(home, 'bin')}:${process.env.PATH}`,
      NO_COLOR: '',
      CURFEW_TRUST: '1',
      XDG_CONFIG_HOME: '',
      XDG_STATE_HOME: '',
    },
    { columns, rows },
  )
  try {
    await terminal.shows(/^\$ *$/m)
    terminal.enter('clear; curfew')
    await terminal.shows(/ask before changes/)
    terminal.enter(question)
    await terminal.shows(/1\. Yes, once/)
    // Long enough that the bar has another colour.
    await terminal.shows(/\b21 s of 30 s/)
    return terminal.styledScreen()
  } finally {
    terminal.close()
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    if (content.startsWith('#!')) chmodSync(file, 0o755)
  }
}

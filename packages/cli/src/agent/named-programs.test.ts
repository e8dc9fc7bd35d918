import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { namedPrograms } from './named-programs.ts'
import { ownFolders } from './own-folders.ts'

test('the files that servers and scripts name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-named-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const servers = {
    a: {
      command: 'node',
      args: ['--import=./tools/hook.mjs', 'tools/my server.mjs', 'dist/new.js', './src'],
    },
    b: { command: 'sh', args: ['-c', 'exec tools/run.sh'] },
    c: { command: 'python3', args: ['main.py'], cwd: 'servers' },
    d: { command: 'sh', args: ['start'], cwd: 'servers' },
  }
  write('.curfew/mcp.json', JSON.stringify({ mcpServers: servers }))
  write('.curfew/extensions/scripts/deploy/run.sh', 'node tools/deploy.mjs missing/x\n. ../../../../lib/sh')
  for (const path of ['tools/deploy.mjs', 'lib/sh', 'servers/main.py', 'servers/start', 'src/index.ts'])
    write(path, '')
  const project = { path: join(folder, '.curfew'), trusted: true }
  const roots = { user: join(folder, 'user'), project, projectFolder: folder, problems: [] }
  const found = namedPrograms(roots)
  const named = [
    'tools/hook.mjs',
    'tools/my server.mjs',
    'dist/new.js',
    'tools/run.sh',
    'servers/main.py',
    'servers/start',
  ]
  for (const path of [...named, 'tools/deploy.mjs']) expect(found).toContain(join(folder, path))
  for (const path of ['src', 'src/index.ts', 'missing/x', '.'])
    expect(found).not.toContain(join(folder, path))
  expect(namedPrograms({ ...roots, project: { ...project, trusted: false } })).not.toContain(
    join(folder, 'tools/deploy.mjs'),
  )
})

test('Curfew’s own folders include the cache of compiled code', () => {
  const env = { HOME: '/home/a', XDG_STATE_HOME: '/state' }
  expect(ownFolders('/config', env)).toEqual(
    expect.arrayContaining(['/config', '/state/curfew', '/home/a/.cache/curfew']),
  )
  expect(ownFolders('/config', { ...env, XDG_CACHE_HOME: '/cache' })).toContain('/cache/curfew')
})

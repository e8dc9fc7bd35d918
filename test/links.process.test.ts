import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')

test.each(documents)('every link in %s has a target', (document) => {
  const targets = [...read(document).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => target!)
  const broken = targets.filter((target) => {
    const [path = '', anchor] = target.split('#')
    const file = path === '' ? document : join(dirname(document), path)
    if (!existsSync(join(root, file))) return true
    return anchor !== undefined && !anchorsOf(read(file)).includes(anchor)
  })
  expect(broken).toEqual([])
})

test('every test named in docs/security.md exists', () => {
  const named = [...read('docs/security.md').matchAll(/`([^`\s]+\.test\.ts)`/g)].map(([, path]) => path!)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((path) => globSync(join(root, 'packages', path)).length === 0)).toEqual([])
})

test('the walkthrough of a call names existing files, in at most 40 steps', () => {
  const [, section = ''] = read('docs/architecture.md').split(
    '## A call from tools/call to the server and back\n',
  )
  const steps = [...section.split('\n## ')[0]!.matchAll(/^\d+\. `([^`]+\.ts)`/gm)].map(([, file]) => file!)
  expect(steps.length).toBeGreaterThan(30)
  expect(steps.length).toBeLessThanOrEqual(40)
  const missing = steps.filter((file) => {
    const path = file.startsWith('core/') ? file.replace('core/', 'core/src/') : `mcp/src/${file}`
    return !existsSync(join(root, 'packages', path))
  })
  expect(missing).toEqual([])
})

function read(document: string): string {
  return readFileSync(join(root, document), 'utf8')
}

/** The anchors that GitHub generates for headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

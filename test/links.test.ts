import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')

test.each(documents)('the links of %s lead somewhere', (document) => {
  const text = readFileSync(join(root, document), 'utf8')
  const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!)
  const broken = targets.filter((target) => !existsSync(join(root, dirname(document), target)))
  expect(broken).toEqual([])
})

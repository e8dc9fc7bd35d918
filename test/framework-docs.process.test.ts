import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const blocks = [
  ...readFileSync('docs/frameworks.md', 'utf8').matchAll(/^<!-- (\S+) -->\n```ts\n([\s\S]*?)```$/gm),
].map(([, file, code]) => ({ file: file!, code: code! }))

test('docs/frameworks.md shows four examples', () => {
  expect(blocks).toHaveLength(4)
})

test.each(blocks)('docs/frameworks.md shows $file as it is, in at most 10 lines', ({ file, code }) => {
  const [, example] = /^\/\/ begin\n([\s\S]*?)^\/\/ end$/m.exec(readFileSync(file, 'utf8')) ?? []
  expect(code).toBe(example)
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
})

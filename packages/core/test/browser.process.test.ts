import { resolve } from 'node:path'
import vm from 'node:vm'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

test('@curfew/core/rows can be bundled for browsers and runs without anything of Node', async () => {
  const bundle = await rolldown({
    input: resolve('packages/core/dist/rows/index.js'),
    platform: 'browser',
    external: [],
    onLog(_level, log) {
      throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'rows' })
  await bundle.close()
  expect(output).toHaveLength(1)
  const { code, imports } = output[0]
  expect(imports).toEqual([])
  expect(code).not.toMatch(/node:|\bBuffer\b|\bprocess\b|\brequire\b/)
  expect(code.length).toBeLessThan(20_000)
  // A context without any global of Node.
  const result: unknown = vm.runInNewContext(`${code}
    const mirror = rows.createMirror()
    const call = { uid: 1, id: 'a', name: 'tool', status: 'executing' }
    mirror.reset({ revision: 0, calls: [call], questions: [] })
    mirror.apply({ from: 0, revision: 1, changed: [{ ...call, status: 'success' }], removed: [], opened: [], closed: [] })
    JSON.stringify([mirror.getSnapshot().calls, rows.formatDuration(1500)])`)
  expect(JSON.parse(String(result))).toEqual([
    [{ uid: 1, id: 'a', name: 'tool', status: 'success' }],
    '1.5 s',
  ])
})

import { expect, test } from 'vitest'
import { defineTool } from './define-tool.ts'
import { toolView } from './tool-views.ts'

const base = { name: 'write', description: 'Write a file.', execute: () => 'done' }

test('title, meta, preview and maxConcurrent are kept; the full view shows the title', () => {
  const meta = { ui: { icon: 'pencil' }, tags: ['files'] }
  const preview = (): string => 'diff'
  const tool = defineTool({ ...base, title: 'Write a file', meta, preview, maxConcurrent: 2 })
  expect(tool).toMatchObject({ title: 'Write a file', meta, preview, maxConcurrent: 2 })
  expect(toolView(tool, 'full')).toMatchObject({ title: 'Write a file' })
  expect(Object.keys(toolView(tool, 'brief'))).toEqual(['name', 'description', 'parameters'])
  expect(JSON.stringify(toolView(tool, 'full'))).not.toContain('pencil')
})

test('meta is a copy that cannot be changed', () => {
  const meta = { ui: { icon: 'pencil' } }
  const tool = defineTool({ ...base, meta })
  meta.ui.icon = 'changed'
  expect(tool.meta).toEqual({ ui: { icon: 'pencil' } })
  expect(() => Object.assign(tool.meta!.ui as object, { icon: 'x' })).toThrow(TypeError)
})

const nested = (levels: number): object => (levels === 0 ? {} : { child: nested(levels - 1) })

test.each([
  [{ title: '' }, 'title: expected a non-empty string, got ""'],
  [{ title: 5 }, 'title: expected a non-empty string, got 5'],
  [{ maxConcurrent: 0 }, 'maxConcurrent: expected a positive integer, got 0'],
  [{ maxConcurrent: 1.5 }, 'maxConcurrent: expected a positive integer, got 1.5'],
  [{ maxConcurrent: '2' }, 'maxConcurrent: expected a positive integer, got "2"'],
  [{ preview: 'diff' }, 'preview: expected a function that returns a string, got "diff"'],
  [{ meta: [] }, 'meta: expected an object, got an array'],
  [{ meta: null }, 'meta: expected an object, got null'],
  [{ meta: { a: { b: () => {} } } }, 'meta.a.b: expected plain data, as in JSON, got a function'],
  [{ meta: { at: new Date(0) } }, 'meta.at: expected plain data, as in JSON, got an instance of Date'],
  [{ meta: nested(300) }, 'meta: expected at most 200 levels, got more'],
  [{ meta: { a: 'x'.repeat(70_000) } }, 'meta: expected at most 65536 characters of JSON, got 70008'],
  [{ titel: 'x' }, 'titel: unknown field; did you mean "title"?'],
])('%j is rejected with the name of the field', (fields, message) => {
  let thrown: unknown
  try {
    defineTool({ ...base, ...fields } as never)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code: 'INVALID_TOOL', field: `tool "write": ${message.split(':')[0]}` })
  expect(String(thrown)).toContain(`tool "write": ${message}`)
})

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
import { addServer } from '@curfew/mcp/config'
import { afterEach, beforeEach, expect, it } from 'vitest'

let file: string

beforeEach(() => {
  file = join(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-add-')), 'new', 'mcp.json')
})

afterEach(() => rmSync(dirname(dirname(file)), { recursive: true, force: true }))

const text = (): string => readFileSync(file, 'utf8')
function writeExisting(content: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

it('creates the file', async () => {
  expect(await addServer(file, 'a', { command: 'x' })).toBe('added')
  expect(text()).toBe('{\n  "mcpServers": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n')
  expect(readdirSync(dirname(file))).toEqual(['mcp.json'])
})

it('keeps everything else, including comments and formatting', async () => {
  const before = `{
  // mine
  "mcpServers": {
    "b": {"url": "$X", "unknown": [1]}, // beside b
    "// c": {},
  },
  "__proto__": {"a": 1}
}
`
  writeExisting(before)
  await addServer(file, 'a', { command: 'x' })
  const added = '"// c": {},\n    "a": {\n      "command": "x"\n    }'
  expect(text()).toBe(before.replace('"// c": {},', added))
})

it('adds mcpServers to a file without it', async () => {
  writeExisting('{\n  "$schema": "x" // y\n}')
  await addServer(file, 'a', {})
  expect(text()).toBe('{\n  "$schema": "x", // y\n  "mcpServers": {\n    "a": {}\n  }\n}')
})

it('replaces a server only with `force`', async () => {
  await addServer(file, 'a', { command: 'x' })
  await addServer(file, 'b', { command: 'y' })
  const before = text()
  expect(await addServer(file, 'a', { command: 'z' })).toBe('exists')
  expect(text()).toBe(before)
  expect(await addServer(file, 'a', { command: 'z' }, { force: true })).toBe('replaced')
  expect(text()).toBe(before.replace('"x"', '"z"'))
})

it('concurrent additions lose nothing', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `server-${index}`)
  await Promise.all(names.map((name) => addServer(file, name, { command: name })))
  expect(Object.keys(JSON.parse(text()).mcpServers).sort()).toEqual(names)
})

it.each([
  ['{ "mcpServers": }', /is not JSON.+; fix it first/],
  ['[]', /expected an object; fix it first/],
  ['{"mcpServers": []}', /expected "mcpServers" to be an object/],
])('rejects and keeps a file with %s', async (content, expected) => {
  writeExisting(content)
  await expect(addServer(file, 'a', { command: 'x' }, { force: true })).rejects.toThrow(expected)
  expect(text()).toBe(content)
  expect(readdirSync(dirname(file))).toEqual(['mcp.json'])
})

it.each(['__proto__', 'a__b', 'a b'])('rejects the name %s', async (name) => {
  await expect(addServer(file, name, { command: 'x' })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})

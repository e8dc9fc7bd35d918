import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '@curfew/core'
import { toolView } from '@curfew/core/internal'
import { formatProblem } from '@curfew/extensions'
import { describe, expect, test } from 'vitest'
import { call, described, home, load, runtime, script, shell, user } from './support/script-home.ts'

/** A zombie has exited. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

describe('a script tool', () => {
  test.each([
    [
      'script.js',
      "let text = ''\nprocess.stdin.on('data', (part) => { text += part })\n" +
        "process.stdin.on('end', () => { console.log(JSON.stringify({ doubled: JSON.parse(text).n * 2 })) })",
    ],
    [
      'script.js',
      "import { text } from 'node:stream/consumers'\nconsole.log({}.x ?? JSON.stringify({ doubled: JSON.parse(await text(process.stdin)).n * 2 }))",
    ],
    ['script.py', 'import json, sys\nprint(json.dumps({"doubled": json.load(sys.stdin)["n"] * 2}))'],
    ['run-me', '#!/bin/sh\nread -r line\necho "$line" | sed -E "s/.*:([0-9]+).*/{\\"doubled\\":\\1\\1}/"'],
  ])('%s reads its arguments from stdin and prints its result', async (file, text) => {
    const parameters = {
      type: 'object',
      properties: { n: { type: 'integer', default: 2 } },
      additionalProperties: false,
    }
    script('double', { ...described, parameters }, { [file]: text })
    const expected = file === 'run-me' ? 44 : 8
    expect(await call('script_double', { n: 4 })).toMatchObject({
      status: 'success',
      value: { doubled: expected },
    })
    expect(await call('script_double', { n: 'x' })).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('gets the trace context of its call', async () => {
    const environment =
      'echo "[\\"$TRACEPARENT\\",\\"$TRACESTATE\\",\\"$BAGGAGE\\",\\"$OTEL_SERVICE_NAME\\"]"'
    script('trace', described, shell(environment))
    process.env.TRACEPARENT = 'of the process'
    process.env.BAGGAGE = 'of the process'
    process.env.OTEL_SERVICE_NAME = 'of the process'
    try {
      expect(await call('script_trace')).toMatchObject({ value: ['', '', '', ''] })
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
      runtime.use((call, next) => {
        call.setTraceContext({ traceparent, tracestate: 'vendor=1' })
        return next()
      })
      expect(await call('script_trace')).toMatchObject({ value: [traceparent, 'vendor=1', '', ''] })
    } finally {
      for (const name of ['TRACEPARENT', 'BAGGAGE', 'OTEL_SERVICE_NAME']) delete process.env[name]
    }
  })

  test('the full view shows only what the file declares', async () => {
    script('plain', described, shell('exit 0'))
    script('safe', { ...described, idempotent: true }, shell('exit 0'))
    const { tools } = await load()
    const [plain, safe] = tools.map(({ tool }) => toolView(tool, 'full').description)
    expect(plain).toMatch(/\. It may need approval\.$/)
    expect(safe).toMatch(/\. It may need approval\. Safe to repeat\.$/)
  })

  test('output that is not JSON is a string, empty output is null, and invalid UTF-8 is replaced', async () => {
    script('text', described, shell('echo hello there'))
    script('nothing', described, shell('exit 0'))
    script('bytes', described, shell("printf 'a\\377b'"))
    script('half', described, shell('echo \'{"half":\''))
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    script('deep', described, { ...shell('cat "$(dirname "$0")/deep.txt"'), 'deep.txt': deep })
    expect(await call('script_text')).toMatchObject({ status: 'success', value: 'hello there' })
    expect(await call('script_nothing')).toMatchObject({ status: 'success', value: null })
    expect(await call('script_bytes')).toMatchObject({ status: 'success', value: 'a\uFFFDb' })
    expect(await call('script_half')).toMatchObject({ status: 'success', value: '{"half":' })
    expect(await call('script_deep')).toMatchObject({ status: 'success', value: deep })
  })

  test('an exit code other than 0 is an error that contains both streams once', async () => {
    script('fails', described, shell('echo to-stdout; echo to-stderr >&2; exit 3'))
    const result = await call('script_fails')
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(result.content).toContain('exited with code 3')
    expect(result.content.split('to-stdout')).toHaveLength(2)
    expect(result.content.split('to-stderr')).toHaveLength(2)
    expect(result).toHaveProperty('cause.stdout', 'to-stdout\n')
    expect(result).toHaveProperty('cause.stderr', 'to-stderr\n')
    expect(result).toHaveProperty('cause.exitCode', 3)
  })

  test('both streams are live output', async () => {
    script('talks', described, shell('echo one >&2; sleep 0.3; echo two; sleep 30'))
    const { tools } = await load()
    runtime.register(tools.map(({ tool }) => tool))
    const tails: string[] = []
    runtime.subscribe(({ changed }) => tails.push(...changed.map(({ outputTail }) => outputTail)))
    const [result] = await runtime.execute([{ id: '1', name: 'script_talks', params: {}, timeout: 1_000 }])
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT', output: 'one\ntwo\n' })
    expect(tails).toContain('one\n')
  })

  test('its timeout is that of the call, of tool.json in seconds, or 300 s; the remaining time is in the environment', async () => {
    script('limited', { ...described, timeout: 7 }, shell('echo $CURFEW_DEADLINE_MS'))
    script('unit', { ...described, timeout: '2m' }, shell('echo'))
    script('plain', described, shell('echo'))
    const limited = await call('script_limited')
    expect(limited).toMatchObject({ timeoutMs: 7_000, timeoutSource: 'tool' })
    expect((limited as { value: number }).value).toBeGreaterThan(5_000)
    expect((limited as { value: number }).value).toBeLessThanOrEqual(7_000)
    expect(await call('script_limited', {}, 900)).toMatchObject({ timeoutMs: 900, timeoutSource: 'call' })
    expect(await call('script_unit')).toMatchObject({ timeoutMs: 120_000 })
    expect(await call('script_plain')).toMatchObject({ timeoutMs: 300_000, timeoutSource: 'adapter' })
  })

  test.runIf(process.platform === 'linux')('leaves nothing running, even if it succeeds', async () => {
    const pidFile = join(home, 'pid')
    script(
      'daemon',
      described,
      shell(
        `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 1000' & while [ ! -s ${pidFile} ]; do sleep 0.02; done; echo done`,
      ),
    )
    expect(await call('script_daemon')).toMatchObject({ status: 'success', value: 'done' })
    const pid = Number(readFileSync(pidFile, 'utf8'))
    expect(isAlive(pid)).toBe(false)
  })

  test('gets only the variables that it needs, and runs in the working directory', async () => {
    process.env.CURFEW_TEST_KEY = 'hidden'
    script('environment', described, shell('env; pwd'))
    const result = await call('script_environment')
    delete process.env.CURFEW_TEST_KEY
    expect(result.content).toContain('PATH=')
    expect(result.content).toContain(process.cwd())
    expect(result.content).not.toContain('hidden')
  })

  test('accepts large arguments, even if the script does not read them', async () => {
    script('deaf', described, shell('exec 0<&-; echo ok'))
    script('counts', described, shell('wc -c'))
    const params = { text: 'x'.repeat(5_000_000) }
    expect(await call('script_deaf', params)).toMatchObject({ code: 'INVALID_PARAMS' })
    script('deaf', { ...described, parameters: { type: 'object' } }, shell('exec 0<&-; echo ok'))
    script('counts', { ...described, parameters: { type: 'object' } }, shell('wc -c'))
    expect(await call('script_deaf', params)).toMatchObject({ value: 'ok' })
    expect(await call('script_counts', params)).toMatchObject({ value: 5_000_011 })
  })

  test('always_allow is an allow rule and does not make the tool read-only; concurrent is off by default', async () => {
    script('free', { ...described, always_allow: true, concurrent: true }, shell('echo'))
    script('asks', described, shell('echo'))
    const { tools, allow } = await load()
    expect(allow).toEqual(['script_free'])
    expect(tools.map(({ tool }) => [tool.name, tool.readOnly, tool.concurrent, tool.adapter])).toEqual([
      ['script_asks', false, false, 'script'],
      ['script_free', false, true, 'script'],
    ])
    const careful = createRuntime({ approval: { rules: { allow } }, log: () => {} })
    careful.register(tools.map(({ tool }) => tool))
    const calls = tools.map(({ tool: { name } }) => ({ id: name, name, params: {} }))
    expect(await careful.execute(calls)).toMatchObject([{ code: 'DENIED' }, { status: 'success' }])
    await careful.close()
  })

  test('readOnly, idempotent and resources are declared in the file', async () => {
    const parameters = { type: 'object', properties: { path: { type: 'string' }, n: { type: 'integer' } } }
    script('read', { ...described, readOnly: true, resources: [] }, shell('echo read'))
    script('write', { ...described, resources: ['file:{path}', 'n:{n}'], parameters }, shell('echo'))
    const { tools, options, problems } = await load()
    expect(problems).toEqual([])
    const [read, write] = tools.map(({ tool }) => tool)
    expect(read).toMatchObject({ readOnly: true, idempotent: true, destructive: false })
    expect(read!.resources!({} as never)).toEqual([])
    expect(write).toMatchObject({ readOnly: false, idempotent: false })
    expect(write!.resources!({ path: 'a', n: 1 } as never)).toEqual(['file:a', 'n:1'])
    // Without one of them, it is unknown what the call uses.
    expect(write!.resources!({ path: 'a' } as never)).toBeUndefined()
    const careful = createRuntime({ ...options, log: () => {} })
    careful.register(tools.map(({ tool }) => tool))
    const calls = tools.map(({ tool: { name } }) => ({ id: name, name }))
    expect(await careful.execute(calls)).toMatchObject([{ value: 'read' }, { code: 'DENIED' }])
    await careful.close()
  })

  test('tool.json is not the script, and folders that start with . or _ are ignored', async () => {
    const folder = script('only', described, shell('echo fine'))
    chmodSync(join(folder, 'tool.json'), 0o755)
    mkdirSync(join(user(), 'extensions', 'scripts', '.git'))
    mkdirSync(join(user(), 'extensions', 'scripts', '__pycache__'))
    expect((await load()).problems).toEqual([])
    expect(await call('script_only')).toMatchObject({ value: 'fine' })
    rmSync(join(folder, 'script.sh'))
    expect((await load()).problems.map(formatProblem).join()).toMatch(/only: has no script/)
  })

  test('ES modules in a CommonJS project and without "type" cause no warnings', async () => {
    const folder = script('module', described, { 'script.mjs': 'console.log(await Promise.resolve("fine"))' })
    writeFileSync(join(folder, 'package.json'), '{"type": "commonjs"}')
    expect(await call('script_module')).toMatchObject({ value: 'fine', output: 'fine\n' })
    script('typeless', described, {
      'script.js': 'console.log(await Promise.resolve("fine"))',
      'package.json': '{}',
    })
    expect(await call('script_typeless')).toMatchObject({ value: 'fine', output: 'fine\n' })
  })

  test('numbers keep their digits, strings their indent, and too much output is an error', async () => {
    script('digits', described, shell('echo 12345678901234567890'))
    script('number', described, shell('echo 42.5'))
    script('indent', described, shell("printf '  a\\n  b\\n'"))
    script('flood', described, shell('head -c 9000000 /dev/zero | tr "\\0" x'))
    expect(await call('script_digits')).toMatchObject({ value: '12345678901234567890' })
    expect(await call('script_number')).toMatchObject({ value: 42.5 })
    expect(await call('script_indent')).toMatchObject({ value: '  a\n  b' })
    const flood = await call('script_flood')
    expect(flood).toMatchObject({ code: 'INVALID_RESULT' })
    expect(flood.content).toContain('got 9000000')
  })

  test('a pattern with catastrophic backtracking ends the call, not the runtime', async () => {
    const parameters = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    script('pattern', { ...described, parameters }, shell('echo ran'))
    const result = await call('script_pattern', { a: `${'a'.repeat(60)}!` })
    expect(result).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(result.content).toContain('takes too long')
    expect(await call('script_pattern', { a: 'aaa' })).toMatchObject({ value: 'ran' })
    expect(await call('script_pattern', { a: 'b' })).toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('a script that could not be started is safe to retry', async () => {
    script('shebang', described, { 'script.x': '#!/nonexistent/program\n' })
    const result = await call('script_shebang')
    expect(result).toMatchObject({ code: 'TOOL_FAILED', retrySafe: true })
    expect(result.content).toMatch(
      /script_shebang did not run: the interpreter in the first line of .+script\.x" does not exist/,
    )
  })

  test('a name with the prefix is not prefixed again', async () => {
    script('folder', { ...described, name: 'script_named' }, shell('echo'))
    expect((await load()).tools.map(({ tool }) => tool.name)).toEqual(['script_named'])
  })

  test('a script that was removed after loading is reported', async () => {
    const folder = script('gone', described, shell('echo'))
    const { tools } = await load()
    runtime.register(tools.map(({ tool }) => tool))
    rmSync(join(folder, 'script.sh'))
    const [result] = await runtime.execute([{ id: '1', name: 'script_gone', params: {} }])
    expect(result).toMatchObject({ code: 'TOOL_FAILED' })
    expect(result!.content).toContain('script.sh')
  })
})

const nested = (depth: number): string =>
  `${'{"type":"object","properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`

describe('an invalid script is reported with file and field, and does not affect others', () => {
  test.each<[string, unknown, Record<string, string>, RegExp]>([
    ['not JSON', '{"description": ', shell(''), /tool\.json: is not JSON: .+/],
    ['not an object', '[]', shell(''), /tool\.json: must be object/],
    ['no description', {}, shell(''), /tool\.json: description: is required/],
    [
      'a description that is not a string',
      { description: 7 },
      shell(''),
      /tool\.json: description: must be string/,
    ],
    ['a negative timeout', { ...described, timeout: -1 }, shell(''), /tool\.json: timeout: must be > 0/],
    [
      'a timeout without unit',
      { ...described, timeout: '5' },
      shell(''),
      /tool\.json: timeout: expected seconds .+, got "5"/,
    ],
    [
      'a timeout that is too long',
      { ...described, timeout: 1e12 },
      shell(''),
      /tool\.json: timeout: expected .+, got 1000000000000/,
    ],
    [
      'a timeout of zero milliseconds',
      { ...described, timeout: 1e-9 },
      shell(''),
      /timeout: expected .+, got 1e-9/,
    ],
    [
      'a library schema',
      { ...described, parameters: { '~standard': null } },
      shell(''),
      /parameters: must NOT/,
    ],
    ['nesting', `{"description": "x", "parameters": ${nested(3_000)}}`, shell(''), /broken\/tool\.json: .+/],
    ['more nesting', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, shell(''), /broken\/tool\.json: .+/],
    [
      'a flag that is not a boolean',
      { ...described, always_allow: 'yes' },
      shell(''),
      /always_allow: must be boolean/,
    ],
    [
      'flags that contradict each other',
      { ...described, readOnly: true, idempotent: false },
      shell(''),
      /tool\.json: idempotent: false contradicts readOnly: true/,
    ],
    [
      'resources that are not an array',
      { ...described, resources: 'a' },
      shell(''),
      /resources: must be array/,
    ],
    [
      'a resource that is not a string',
      { ...described, resources: ['a', 1] },
      shell(''),
      /resources\[1\]: must be string/,
    ],
    [
      'a resource with an unknown parameter',
      { ...described, resources: ['a', 'file:{pth}'] },
      shell(''),
      /tool\.json: resources\[1\]: \{pth\} is not a parameter; declare it in "parameters"/,
    ],
    [
      'parameters that are not a schema',
      { ...described, parameters: { type: 'object', properties: { a: { type: 'nope' } } } },
      shell(''),
      /tool\.json: parameters: not a valid JSON Schema/,
    ],
    [
      'an invalid name',
      { ...described, name: 'a b' },
      shell(''),
      /tool\.json: name: expected .+, got ".*a b"/,
    ],
    ['no script', described, {}, /broken: has no script; expected script\.js/],
    [
      'a script that is not executable',
      described,
      { 'script.sh': 'echo' },
      /script\.sh: is not executable; run: chmod \+x script\.sh/,
    ],
    [
      'several executables',
      described,
      { a: '#!/bin/sh\n', b: '#!/bin/sh\n' },
      /broken: expected .+, got several executable files: a, b/,
    ],
    ['a folder for a script', described, { 'script.js/x': '' }, /script\.js: is not a file/],
  ])('%s', async (_name, definition, files, expected) => {
    script('broken', definition, files)
    script('good', described, shell('echo fine'))
    const { problems } = await load()
    expect(problems.map(formatProblem).join('\n')).toMatch(expected)
    expect(problems[0]!.file).toContain(join('scripts', 'broken'))
    expect(await call('script_good')).toMatchObject({ value: 'fine' })
  })

  test('an unreadable script', async () => {
    const folder = script('broken', described, {})
    symlinkSync('/nonexistent/script', join(folder, 'script.py'))
    const { tools, problems } = await load()
    expect(tools).toEqual([])
    expect(problems.map(formatProblem).join()).toMatch(/script\.py: cannot be read/)
  })

  test('a tool.json that is not UTF-8, too large, missing, or a folder', async () => {
    for (const name of ['bytes', 'large', 'missing', 'folder']) script(name, described, shell(''))
    const at = (name: string): string => join(user(), 'extensions', 'scripts', name, 'tool.json')
    writeFileSync(at('bytes'), Buffer.from([0x7b, 0xff, 0x7d]))
    writeFileSync(at('large'), ' '.repeat(300_000))
    rmSync(at('missing'))
    rmSync(at('folder'))
    mkdirSync(at('folder'))
    const { tools, problems } = await load()
    expect(tools).toEqual([])
    expect(problems.map(({ message }) => message)).toEqual([
      'is not JSON: it is not encoded as UTF-8',
      'is not a file',
      expect.stringMatching(/got 300000$/),
      expect.stringMatching(/^is missing/),
    ])
  })

  test('an unknown field is a warning, and the tool works', async () => {
    script('typo', { ...described, timout: 3 }, shell('echo works'))
    const { problems } = await load()
    expect(problems).toMatchObject(
      [{ severity: 'warning', field: 'timout', message: /did you mean "timeout"/ }].map((p) => ({
        ...p,
        message: expect.stringMatching(p.message),
      })),
    )
    expect(await call('script_typo')).toMatchObject({ value: 'works' })
  })

  test('a name that is defined twice in one root', async () => {
    script('a', { ...described, name: 'same' }, shell('echo a'))
    script('b', { ...described, name: 'same' }, shell('echo b'))
    const { problems } = await load()
    expect(problems.map(formatProblem).join()).toMatch(
      /b\/tool\.json: name: script_same is already defined in .+a\/tool\.json/,
    )
    expect(await call('script_same')).toMatchObject({ value: 'a' })
  })
})

import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Redactor } from '@curfew/core/internal'
import { createFakeClock } from '@curfew/core/testing'
import { describe, expect, test } from 'vitest'
import {
  answer,
  assertBalanced,
  calling,
  item,
  results,
  success,
  user,
} from '../../test/support/session-data.ts'
import { newSession, options, problems, state, useStateFolder } from '../../test/support/session-setup.ts'
import { readSession } from './read-session.ts'
import { restoreHistory } from './restore-history.ts'
import { createSession } from './session-file.ts'
import { maxLineSize } from './session-size.ts'

useStateFolder()

const nested = (depth: number): unknown => (depth === 0 ? 'end' : { a: nested(depth - 1) })

describe('the file', () => {
  test('only the user can read it', async () => {
    const session = await newSession()
    session.append(item(user(1, 'go')))
    await session.flush()
    expect(statSync(session.path).mode & 0o777).toBe(0o600)
    for (const folder of [dirname(session.path), join(state, 'sessions')])
      expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('has a header with the id, and is created with the first record', async () => {
    const session = await newSession()
    expect(existsSync(session.path)).toBe(false)
    session.append(item(user(1, 'go')))
    await session.written()
    const { header, records } = await readSession(session.path)
    expect(session.path).toMatch(/\/sessions\/[0-9a-f]{16}\/\d{8}-\d{6}-[2-9a-z]{3}\.jsonl$/)
    expect(session.path.endsWith(`${session.id}.jsonl`)).toBe(true)
    expect(header).toEqual({
      type: 'session',
      version: 1,
      id: session.id,
      createdAt: expect.any(Number),
      project: '/project',
      model: 'openai-compatible:test',
    })
    expect(records).toEqual([item(user(1, 'go'))])
  })

  test('a session without records leaves nothing behind', async () => {
    const session = await newSession()
    await session.close()
    expect(readdirSync(dirname(session.path))).toEqual([])
  })

  test('sessions of the same moment have different ids', async () => {
    const clock = createFakeClock()
    const sessions = await Promise.all(Array.from({ length: 20 }, () => newSession({ clock })))
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(20)
  })

  test('a folder that cannot be used is reported once, and the conversation goes on', async () => {
    writeFileSync(join(state, 'sessions'), '')
    const session = await newSession()
    for (let id = 0; id < 3; id++) {
      session.append(item(user(id, 'go')))
      await session.flush()
    }
    await session.close()
    expect(problems).toEqual([expect.stringContaining('the session is not saved completely')])
  })

  test('a folder below a link to nothing is reported, and not tried forever', async () => {
    symlinkSync(join(state, 'nothing'), join(state, 'unmounted'))
    const session = await newSession({ folder: join(state, 'unmounted', 'a', 'b') })
    session.append(item(user(1, 'go')))
    await session.close()
    expect(problems).toEqual([expect.stringMatching(/not saved completely: ENOENT/)])
  })

  test('a folder that is a symbolic link is not used', async () => {
    symlinkSync('/tmp', join(state, 'sessions'))
    const session = await newSession()
    session.append(item(user(1, 'go')))
    await session.flush()
    expect(problems).toEqual([expect.stringContaining('not a symbolic link')])
  })

  test('a relative folder is rejected', async () => {
    await expect(createSession({ ...options(), folder: 'state' })).rejects.toThrow(
      /^folder: expected an absolute path .*, got "state"$/,
    )
  })
})

describe('a record that is too large', () => {
  test('is shortened and keeps its calls and results paired', async () => {
    const session = await newSession()
    const image = { type: 'image', data: 'A'.repeat(6 << 20), mediaType: 'image/png' } as const
    const call = calling(2, 'a', 'b')
    session.append(
      item({
        ...user(1, 'look'),
        parts: [{ type: 'file', data: 'A'.repeat(9 << 20), mediaType: 'image/png', name: 'a.png' }],
      }),
    )
    session.append(
      item({
        ...call,
        parts: call.parts.map((part) => ({
          ...part,
          input: { text: 'x'.repeat(5 << 20), list: Array(1_000).fill(7) },
          metadata: { google: { signature: 'y'.repeat(5 << 20) } },
        })),
      }),
    )
    session.append(
      item({
        ...results(3),
        results: ['a', 'b'].map((id) => ({ ...success(id), content: 'z'.repeat(5 << 20), parts: [image] })),
      }),
    )
    await session.flush()
    expect(problems).toEqual([])
    expect(statSync(session.path).size).toBeLessThan(maxLineSize.bytes)
    const { items } = restoreHistory((await readSession(session.path)).records)
    assertBalanced(items)
    expect(items[0]).toMatchObject({ parts: [{ type: 'text', text: '[a.png: too large, not saved]' }] })
    expect(items[1]).toMatchObject({
      parts: [{ callId: 'a', input: { text: expect.stringContaining('not saved in the session') } }, {}],
    })
    expect(JSON.stringify(items[1])).not.toContain('signature')
    expect(items[2]).toMatchObject({ results: [{ callId: 'a', status: 'success' }, { callId: 'b' }] })
    expect(JSON.stringify(items[2])).toMatch(/characters omitted, not saved in the session/)
  })

  test('many values and long keys are shortened, too', async () => {
    const session = await newSession()
    const keys = Array.from({ length: 50_000 }, (_, index) => [`${index}`.padEnd(200), index])
    for (const input of [Array(420_000).fill(1), Object.fromEntries(keys)])
      session.append(item({ ...calling(1), parts: [{ type: 'call', callId: 'a', name: 'tool', input }] }))
    await session.flush()
    expect(problems).toEqual([])
    const { records } = await readSession(session.path)
    expect(records).toHaveLength(2)
    expect(JSON.stringify(records[0])).toContain('[354464 more, not saved]')
  })

  test.each([150, 195, 200, 5_000])('arguments nested %i levels deep can be read again', async (depth) => {
    const session = await newSession()
    const call = { ...calling(1).parts[0], type: 'call', callId: 'a', name: 'tool', input: nested(depth) }
    session.append(item({ ...calling(1), parts: [call as never] }))
    await session.flush()
    expect(problems).toEqual([])
    expect((await readSession(session.path)).records).toHaveLength(1)
  })
})

describe('secrets', () => {
  const canary = 'sk-CANARY-4f9a8b7c6d5e'
  const redacting = () => {
    const redactor = new Redactor()
    redactor.add('API_KEY', canary)
    return newSession({ redact: (value) => redactor.data(value), project: `/home/${canary}`, model: canary })
  }

  /** Unlike the core's, it does not find parts of a secret. */
  const exactly = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(canary, '[hidden]'))

  test('no byte of a secret reaches the file, wherever it is', async () => {
    const session = await redacting()
    const secrets = { deep: [{ [canary]: { value: `x${canary}y`, twice: canary + canary } }] }
    session.append(item(user(1, `my key is ${canary}`)))
    session.append(
      item({
        ...calling(2),
        model: canary,
        parts: [
          { type: 'reasoning', text: canary, metadata: { google: { signature: canary } } },
          { type: 'call', callId: canary, name: canary, input: secrets },
        ],
      }),
    )
    session.append({ type: 'calls', calls: [{ callId: canary, name: canary, startedAt: 1 }] })
    session.append(
      item({
        ...results(3),
        results: [
          {
            ...success(canary),
            code: canary,
            content: `${'x'.repeat(9 << 20)}${canary}`,
            spillPath: `/${canary}`,
            parts: [{ type: 'text', text: canary }],
          },
        ],
      }),
    )
    session.append({ type: 'counts', continuations: 1, usage: { [canary]: 1 } })
    session.append({ type: 'loaded', tools: [canary] })
    session.append({ type: 'model', model: canary })
    session.append({ type: 'end', reason: canary })
    await session.close()
    expect(problems).toEqual([])
    const text = readFileSync(session.path, 'latin1')
    expect(text).not.toContain('CANARY')
    expect(text).toContain('[secret API_KEY]')
    const { records } = await readSession(session.path)
    expect(records).toHaveLength(8)
    expect(restoreHistory(records).lost).toEqual([])
  })

  test.each([1, 5, 11, canary.length - 1])(
    'a secret split after %i characters is not complete',
    async (at) => {
      const session = await newSession({ redact: exactly })
      const [start, end] = [canary.slice(0, at), canary.slice(at)]
      // In the next record, in the next part, and in the next result.
      session.append(item(answer(1, `it begins with ${start}`)))
      session.append(item(user(2, `${end} is the rest`)))
      session.append(
        item({ ...answer(3, ''), parts: ['a ', start, end, ' z'].map((text) => ({ type: 'text', text })) }),
      )
      session.append(item(calling(4, 'a', 'b')))
      session.append(
        item({
          ...results(5),
          results: [
            { ...success('a'), content: start },
            { ...success('b'), content: end },
          ],
        }),
      )
      await session.close()
      const texts = (await readSession(session.path)).records.flatMap(
        (record) => JSON.stringify(record).match(/"(?:text|content)":"[^"]*"/g) ?? [],
      )
      const joined = texts.map((text) => text.replace(/^"\w+":"|"$/g, '')).join('')
      expect(joined).not.toContain(canary)
      expect(joined.match(/\[secret\]/g)).toHaveLength(3)
      expect(joined).toContain(' is the rest')
    },
  )

  test('a file that contains a secret is left out, because the rest of it would be invalid', async () => {
    const redactor = new Redactor()
    redactor.add('API_KEY', canary)
    const session = await newSession({ redact: (value) => redactor.data(value) })
    const data = Buffer.from(canary).toString('base64')
    session.append(
      item({ ...user(1, ''), parts: [{ type: 'file', data, mediaType: 'text/plain', name: 'k' }] }),
    )
    await session.close()
    expect(readFileSync(session.path, 'utf8')).not.toContain(data)
    const [record] = (await readSession(session.path)).records
    expect(record).toMatchObject({
      item: { parts: [{ type: 'text', text: '[k: not saved, because it contains a secret]' }] },
    })
  })

  test('a redact that throws or returns something else is reported, and nothing is written', async () => {
    for (const redact of [() => null, () => 'text', () => ({ type: 'end' })]) {
      const session = await newSession({ redact })
      session.append(item(user(1, 'go')))
      await session.close()
      expect(existsSync(session.path)).toBe(false)
    }
    expect(problems).toHaveLength(3)
  })
})

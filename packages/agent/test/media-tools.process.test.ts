import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImageModelV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import { createWorkspace } from '@curfew/agent/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setUpDelegation, success } from './support/delegation-setup.ts'

let root: string
let outside: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'curfew-media-'))
  outside = mkdtempSync(join(tmpdir(), 'curfew-outside-'))
})

afterEach(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true, force: true })
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const response = { timestamp: new Date(0), modelId: 'm', headers: {} }

type ImageOptions = Parameters<ImageModelV4['doGenerate']>[0]
type AudioOptions = Parameters<TranscriptionModelV4['doGenerate']>[0]

function setUp(
  images: unknown = [png.toString('base64')],
  transcript: unknown = { text: 'Hello.', segments: [] },
) {
  const requests: (ImageOptions | AudioOptions)[] = []
  const answer = (value: unknown) => async (options: ImageOptions | AudioOptions) => {
    requests.push(options)
    if (value instanceof Error) throw value
    if (value === 'hang') await new Promise(() => {})
    return value as never
  }
  const base = { specificationVersion: 'v4', provider: 'test', modelId: 'm' } as const
  const imageModel: ImageModelV4 = {
    ...base,
    maxImagesPerCall: 1,
    doGenerate: answer(Array.isArray(images) ? { images, warnings: [], response } : images),
  }
  const transcriptionModel: TranscriptionModelV4 = { ...base, doGenerate: answer(transcript) }
  const parts = setUpDelegation(
    [],
    {
      workspace: createWorkspace({ root }),
      imageModel: async () => imageModel,
      transcriptionModel: async () => transcriptionModel,
    },
    { timeouts: { image: 1_000, transcribe: 1_000 } },
  )
  return {
    requests,
    image: (params: object) => parts.execute('generate_image', { prompt: 'A cat.', path: 'cat', ...params }),
    transcribe: (params: object) => parts.execute('transcribe_media', { path: 'a.mp3', ...params }),
  }
}

test('without a model, the tools do not exist', async () => {
  const { execute } = setUpDelegation([])
  expect(await execute('generate_image', { prompt: 'x', path: 'x' })).toMatchObject({
    code: 'TOOL_NOT_FOUND',
  })
  expect(await execute('transcribe_media', { path: 'x' })).toMatchObject({ code: 'TOOL_NOT_FOUND' })
})

describe('generate_image', () => {
  test('saves a new file with the extension of its format', async () => {
    const { image, requests } = setUp()
    const result = success(await image({ path: 'art/cat', aspect_ratio: '16:9' }))
    expect(result.content).toBe(`Saved art/cat.png (image/png, ${png.length} bytes).`)
    expect(readFileSync(join(root, 'art/cat.png'))).toEqual(png)
    expect(readdirSync(join(root, 'art'))).toEqual(['cat.png'])
    expect(requests).toMatchObject([{ prompt: 'A cat.', n: 1, aspectRatio: '16:9' }])
  })

  test('edits images of the workspace', async () => {
    writeFileSync(join(root, 'in.png'), png)
    const { image, requests } = setUp([new Uint8Array(png)])
    success(await image({ input_paths: ['in.png'] }))
    expect(requests).toMatchObject([{ files: [{ type: 'file', mediaType: 'image/png' }] }])
  })

  test('never replaces a file, and does not ask the model then', async () => {
    writeFileSync(join(root, 'cat.png'), 'mine')
    const { image, requests } = setUp()
    expect(await image({ path: 'cat.png' })).toMatchObject({
      message: expect.stringContaining('is not replaced'),
    })
    expect(requests).toEqual([])
    // The extension is known only afterwards.
    expect(await image({ path: 'cat' })).toMatchObject({ code: 'INVALID_PARAMS' })
    expect(readFileSync(join(root, 'cat.png'), 'utf8')).toBe('mine')
    expect(readdirSync(root)).toEqual(['cat.png'])
  })

  test.each(['../cat', '/tmp/cat', 'link/cat'])('%s is outside of the workspace', async (path) => {
    symlinkSync(outside, join(root, 'link'))
    const { image, requests } = setUp()
    expect(await image({ path })).toMatchObject({ code: 'DENIED' })
    expect([requests, readdirSync(outside)]).toEqual([[], []])
  })

  test('a protected path needs a person', async () => {
    mkdirSync(join(root, '.git'))
    const { image } = setUp()
    expect(await image({ path: '.git/cat' })).toMatchObject({ code: 'DENIED' })
    expect(existsSync(join(root, '.git/cat.png'))).toBe(false)
  })

  test.each([
    ['no image', []],
    ['another format', [Buffer.from('<svg/>').toString('base64')]],
    ['no base64', ['!!!!']],
    ['something else', [7]],
    ['nothing', { images: null }],
  ])('%s is rejected, and nothing is saved', async (_, images) => {
    const { image } = setUp(images)
    expect(await image({})).toMatchObject({ code: 'INVALID_RESULT' })
    expect(readdirSync(root)).toEqual([])
  })

  test('a model that fails or hangs: an error in time', async () => {
    expect(await setUp(Object.assign(new Error('boom'), { statusCode: 500 })).image({})).toMatchObject({
      code: 'TRANSPORT_FAILED',
      message: expect.stringContaining('test:m'),
    })
    expect(await setUp('hang').image({})).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(readdirSync(root)).toEqual([])
  })
})

describe('transcribe_media', () => {
  test('returns the text, or segments', async () => {
    writeFileSync(join(root, 'a.mp3'), 'audio')
    const segments = [{ text: ' Hello. ', startSecond: 0, endSecond: 1.25 }]
    const { transcribe, requests } = setUp([], { text: ' Hello. ', segments })
    expect(success(await transcribe({})).content).toBe('Hello.')
    expect(success(await transcribe({ timestamps: true })).content).toBe('0.0-1.3 Hello.')
    expect(requests[0]).toMatchObject({ mediaType: 'audio/mpeg' })
    expect(Buffer.from((requests[0] as AudioOptions).audio as Uint8Array).toString()).toBe('audio')
  })

  test.each([
    ['a.txt', 'INVALID_PARAMS'],
    ['missing.mp3', 'INVALID_PARAMS'],
    ['empty.mp3', 'INVALID_PARAMS'],
    ['large.mp3', 'INVALID_PARAMS'],
    ['pipe.mp3', 'INVALID_PARAMS'],
    ['folder.mp3', 'INVALID_PARAMS'],
    ['link.mp3', 'DENIED'],
    ['../a.mp3', 'DENIED'],
  ])('%s is rejected before the model is asked', async (path, code) => {
    writeFileSync(join(root, 'a.txt'), 'x')
    writeFileSync(join(root, 'empty.mp3'), '')
    writeFileSync(join(root, 'large.mp3'), '')
    truncateSync(join(root, 'large.mp3'), 30 * 1024 * 1024)
    execFileSync('mkfifo', [join(root, 'pipe.mp3')])
    mkdirSync(join(root, 'folder.mp3'))
    writeFileSync(join(outside, 'a.mp3'), 'secret')
    symlinkSync(join(outside, 'a.mp3'), join(root, 'link.mp3'))
    const { transcribe, requests } = setUp()
    expect(await transcribe({ path })).toMatchObject({ code })
    expect(requests).toEqual([])
  })

  test('a model that returns something else: an error', async () => {
    writeFileSync(join(root, 'a.mp3'), 'audio')
    expect(await setUp([], { text: 5 }).transcribe({})).toMatchObject({ code: 'INVALID_RESULT' })
    expect(await setUp([], null).transcribe({})).toMatchObject({ code: 'INVALID_RESULT' })
    const message = expect.stringContaining('the transcription is empty')
    expect(await setUp([], { text: ' \n' }).transcribe({})).toMatchObject({ code: 'INVALID_RESULT', message })
  })
})

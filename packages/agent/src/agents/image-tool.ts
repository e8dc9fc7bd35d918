import { extname } from 'node:path'
import type { ImageModelV4 } from '@ai-sdk/provider'
import { CurfewError, type Restriction, type Runtime, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import { nameOfModel } from '../models/name-of-model.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { callMediaModel } from './call-media-model.ts'
import { assertNewFile, readMediaFile, writeNewFile } from './media-files.ts'

export interface ImageOptions {
  readonly runtime: Pick<Runtime, 'redact'>
  readonly workspace: Workspace
  /** Opens the model with the first call. */
  imageModel(): Promise<ImageModelV4>
}

export interface GeneratedImage {
  readonly path: string
  readonly mediaType: string
  readonly bytes: number
  /** What the model could not consider. */
  readonly warnings: readonly string[]
}

const maxPromptLength = 32_000
const maxInputBytes = 20 * 1024 * 1024
const maxImageBytes = 64 * 1024 * 1024

/** `generate_image`: a new image file in the workspace. */
export function imageTool(options: ImageOptions): Tool<never, GeneratedImage> {
  const { runtime, workspace } = options
  return defineToolFrom(
    {
      name: 'generate_image',
      title: 'Generate an image',
      description: 'Generate an image from a description and save it as a new file in the workspace.',
      usage:
        "Use it for illustrations, icons and edited photos. Not for diagrams or charts that can be written as SVG or code: use 'write_file'. " +
        'The file must not exist; its extension is that of the generated format. Returns the path, format and size; a model that cannot edit images rejects input_paths. The description and the input images are sent to the configured model, which may cost money.',
      parameters: objectSchema(['prompt', 'path'], {
        prompt: described(
          { type: 'string', minLength: 1, maxLength: maxPromptLength },
          'What the image shows, with style, composition and text in it.',
        ),
        path: described(
          { type: 'string', minLength: 1, maxLength: 4_096 },
          'Where to save it, without an extension or with that of the format, such as .png.',
        ),
        aspect_ratio: described(
          { type: 'string', pattern: '^([1-9][0-9]?:[1-9][0-9]?)?$', default: '' },
          "The ratio of width to height, such as 16:9; empty for the model's default.",
        ),
        input_paths: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 4_096 },
          maxItems: 8,
          default: [],
          description: 'The paths of images to edit or to combine.',
        },
      }),
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
      resources: ({ path, input_paths }) =>
        [path, ...input_paths].map((one) => workspace.locate(one).realPath),
      restrict: ({ path, input_paths }) =>
        strictest([workspace.restrictWrite(path), ...input_paths.map((one) => workspace.restrictRead(one))]),
      async execute({ prompt, path, aspect_ratio, input_paths }, context) {
        await assertNewFile(workspace, path, context)
        const files = await Promise.all(
          input_paths.map((one) => readMediaFile(workspace, one, 'image', maxInputBytes)),
        )
        const model = await options.imageModel()
        if (files.length > 0 && (await model.supportsFileInputs) === false)
          throw new CurfewError('INVALID_PARAMS', `input_paths: ${nameOfModel(model)} cannot edit images`, {
            hadNoEffect: true,
          })
        context.progress({ current: 0, message: `generating ${path}` })
        const result = await callMediaModel(model, context, runtime.redact, (abortSignal) =>
          model.doGenerate({
            prompt,
            n: 1,
            size: undefined,
            aspectRatio: aspect_ratio === '' ? undefined : (aspect_ratio as `${number}:${number}`),
            seed: undefined,
            files:
              files.length === 0
                ? undefined
                : files.map(({ bytes, mediaType }) => ({ type: 'file', mediaType, data: bytes })),
            mask: undefined,
            providerOptions: {},
            abortSignal,
          }),
        )
        const bytes = readImage(result)
        const { extension, mediaType } = formatOf(bytes)
        const saved = await writeNewFile(workspace, withExtension(path, extension), bytes, context)
        return { path: saved, mediaType, bytes: bytes.length, warnings: warningsOf(result) }
      },
    },
    {
      adapter: 'image',
      textOf: (value) => {
        const { path, mediaType, bytes, warnings } = value as GeneratedImage
        return [`Saved ${path} (${mediaType}, ${bytes} bytes).`, ...warnings].join('\n')
      },
    },
  )
}

/** A denied path denies the call. */
function strictest(restrictions: readonly (Restriction | null)[]): Restriction | null {
  const found = restrictions.filter((one) => one !== null)
  return found.find(({ verdict }) => verdict === 'deny') ?? found[0] ?? null
}

/** A provider may return anything. */
function readImage(result: unknown): Uint8Array {
  const [image] = [(Object(result) as Record<string, unknown>).images].flat()
  const bytes =
    typeof image === 'string' && image.length <= maxImageBytes * 2
      ? Buffer.from(image.replace(/^data:[^,]*,/, ''), 'base64')
      : image
  if (!(bytes instanceof Uint8Array) || bytes.length === 0)
    throw new CurfewError('INVALID_RESULT', 'the model returned no image; change the description')
  if (bytes.length > maxImageBytes)
    throw new CurfewError('INVALID_RESULT', `the model returned an image of more than ${maxImageBytes} bytes`)
  return bytes
}

const formats: readonly { readonly start: RegExp; readonly extension: string; readonly mediaType: string }[] =
  [
    { start: /^\x89PNG\r\n/, extension: '.png', mediaType: 'image/png' },
    { start: /^\xff\xd8\xff/, extension: '.jpg', mediaType: 'image/jpeg' },
    { start: /^RIFF[\s\S]{4}WEBP/, extension: '.webp', mediaType: 'image/webp' },
    { start: /^GIF8/, extension: '.gif', mediaType: 'image/gif' },
  ]

/** By its first bytes: what a provider claims need not be true. */
function formatOf(bytes: Uint8Array): { readonly extension: string; readonly mediaType: string } {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  const format = formats.find((one) => one.start.test(start))
  if (format !== undefined) return format
  throw new CurfewError(
    'INVALID_RESULT',
    'the model returned something that is not a PNG, JPEG, WebP or GIF image',
  )
}

function withExtension(path: string, extension: string): string {
  const own = extname(path).toLowerCase()
  if (own === extension || (own === '.jpeg' && extension === '.jpg')) return path
  return `${path}${extension}`
}

function warningsOf(result: unknown): string[] {
  const { warnings } = Object(result) as Record<string, unknown>
  return (Array.isArray(warnings) ? warnings : []).slice(0, 5).map((warning) => {
    const { type, feature, message, details } = Object(warning) as Record<string, unknown>
    return `Warning: ${[type, feature, message, details].filter((part) => typeof part === 'string').join(' ')}`
  })
}

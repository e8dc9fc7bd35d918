import type { TranscriptionModelV4 } from '@ai-sdk/provider'
import { CurfewError, type Runtime, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { Workspace } from '../workspace/workspace.ts'
import { callMediaModel } from './call-media-model.ts'
import { readMediaFile } from './media-files.ts'

export interface TranscribeOptions {
  readonly runtime: Pick<Runtime, 'redact'>
  readonly workspace: Workspace
  /** Opens the model with the first call. */
  transcriptionModel(): Promise<TranscriptionModelV4>
}

export interface Transcript {
  readonly text: string
  readonly language: string | null
  readonly seconds: number | null
  readonly segments: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

/** What most providers accept in one request. */
const maxBytes = 25 * 1024 * 1024

/** `transcribe_media`: the spoken text of an audio or video file. */
export function transcribeTool(options: TranscribeOptions): Tool<never, Transcript> {
  const { runtime, workspace } = options
  return defineToolFrom(
    {
      name: 'transcribe_media',
      title: 'Transcribe audio or video',
      description: 'Transcribe the speech of an audio or video file in the workspace.',
      usage:
        "Use it for recordings, voice notes and videos. Not for text or images: use 'read_file'. Files are limited to 25 MB, which is about an hour of compressed speech. " +
        'Returns the text, or with timestamps one line per segment; a file that is not audio or video is an error. The file is sent to the configured model.',
      parameters: objectSchema(['path'], {
        path: { type: 'string', minLength: 1, maxLength: 4_096, description: 'The path of the file.' },
        timestamps: described(
          { type: 'boolean', default: false },
          'Return one line per segment, with its start and end in seconds.',
        ),
      }),
      readOnly: true,
      concurrent: true,
      openWorld: true,
      resources: ({ path }) => [workspace.locate(path).realPath],
      restrict: ({ path }) => workspace.restrictRead(path),
      async execute({ path, timestamps }, context) {
        const { bytes, mediaType, shownPath } = await readMediaFile(workspace, path, 'audio', maxBytes)
        const model = await options.transcriptionModel()
        context.progress({ current: 0, message: `transcribing ${shownPath}` })
        const result = await callMediaModel(model, context, runtime.redact, (abortSignal) =>
          model.doGenerate({
            audio: bytes,
            mediaType,
            abortSignal,
            ...(timestamps && { timestampGranularities: ['segment'] }),
          }),
        )
        return readTranscript(result, timestamps)
      },
    },
    { adapter: 'transcribe', textOf: (value) => showTranscript(value as Transcript) },
  )
}

/** A provider may return anything. */
function readTranscript(result: unknown, timestamps: boolean): Transcript {
  const { text, segments, language, durationInSeconds } = Object(result) as Record<string, unknown>
  if (typeof text !== 'string') throw new CurfewError('INVALID_RESULT', 'the model returned no text')
  if (text.trim() === '') {
    const problem =
      'the transcription is empty: the file may contain no speech, or none that the model recognizes'
    throw new CurfewError('INVALID_RESULT', problem)
  }
  const listed = timestamps && Array.isArray(segments) ? segments : []
  return {
    text: text.trim(),
    language: typeof language === 'string' ? language : null,
    seconds: typeof durationInSeconds === 'number' ? durationInSeconds : null,
    segments: listed.map((segment) => {
      const { text, startSecond, endSecond } = Object(segment) as Record<string, unknown>
      return { text: String(text ?? '').trim(), start: Number(startSecond), end: Number(endSecond) }
    }),
  }
}

function showTranscript({ text, segments }: Transcript): string {
  if (segments.length === 0) return text
  return segments.map(({ start, end, text }) => `${time(start)}-${time(end)} ${text}`).join('\n')
}

function time(seconds: number): string {
  return Number.isFinite(seconds) ? seconds.toFixed(1) : '?'
}

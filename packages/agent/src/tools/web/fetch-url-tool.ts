import { STATUS_CODES } from 'node:http'
import { type Restriction, type Tool, type ToolContext, toolResult } from '@curfew/core'
import {
  addressOf,
  addressPolicy,
  containsSecret,
  copySlice,
  defineToolFrom,
  described,
  type HostLookup,
  objectSchema,
} from '@curfew/core/internal'
import { checkUrl, maxUrlLength } from './check-url.ts'
import { decodeText, mediaType } from './content-kind.ts'
import { convertHtml } from './convert-html.ts'
import { type FetchPolicy, failed, fetchPage, type Page } from './fetch-page.ts'

export interface FetchUrlOptions {
  /** Hosts and networks that may be requested although they are private: `localhost:3000`, `10.1.0.0/16`. @default none */
  readonly allow?: readonly string[] | undefined
  /** Removes known secrets. A URL that contains one is denied. */
  redact(text: string): string
  /** For proxies. @default process.env */
  readonly env?: Readonly<NodeJS.ProcessEnv> | undefined
  /** @default the system's resolver */
  readonly lookUp?: HostLookup | undefined
}

export const fetchUrlName = 'fetch_url'

/** The value of a result, for programs. */
export interface FetchedUrl {
  /** The address that was read, after redirects. */
  readonly url: string
  /** Set if the URL redirects to another host, which was not requested. */
  readonly redirect?: string
}

const maxErrorLength = 2_000

/** Reads a page of the internet. Private addresses are denied unless `allow` contains them. */
export function fetchUrlTool({ allow = [], redact, env, lookUp }: FetchUrlOptions): Tool {
  const addresses = addressPolicy(allow)
  const whyDenied = (url: URL): string | null =>
    containsSecret(url.href, redact)
      ? 'the URL contains a secret, which would be sent to the server; remove it'
      : null
  const policy: FetchPolicy = { policy: addresses, env, lookUp, whyDenied }

  /** What is known before the host is resolved. */
  const restrict = (text: string): Restriction | null => {
    const url = checkUrl(text)
    const literal = addressOf(url)
    const reason = whyDenied(url) ?? (literal === null ? null : addresses.whyDenied(url, literal))
    return reason === null ? null : { verdict: 'deny', reason }
  }

  return defineToolFrom(
    {
      name: fetchUrlName,
      title: 'Fetch a web page',
      description: 'Fetch a URL with GET and return its content, with HTML as Markdown.',
      usage:
        'Use it to read documentation, an issue or a file on the internet whose address is known. Not for files of the project, and not to send data: never put anything private into a URL. ' +
        'Returns text, or an image or PDF. At most 2 MiB of text are returned and 5 MiB of other content; private addresses are denied. A redirect to another host is reported, not followed: call it again with the new URL.',
      parameters: objectSchema(['url'], {
        url: described(
          { type: 'string', minLength: 1, maxLength: maxUrlLength },
          'The complete URL, such as https://example.com/docs, without a user name.',
        ),
      }),
      timeout: '30s',
      // It changes nothing here, but what the model writes into the URL leaves this machine: a person decides.
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: true,
      // Several pages at the same time.
      resources: () => [],
      restrict: ({ url }) => restrict(url),
      async execute({ url }, context) {
        const signal = context.signal as AbortSignal
        return await describe(await fetchPage(checkUrl(url), policy, signal), context)
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}

async function describe(page: Page, context: ToolContext): Promise<unknown> {
  const url = page.url.href
  if ('redirect' in page) {
    const value: FetchedUrl = { url, redirect: page.redirect }
    const content = `${url} redirects to another host: ${page.redirect}\nIt was not followed. To read it, call ${fetchUrlName} with that URL.`
    return toolResult({ value, content, parts: [] })
  }
  const { status, contentType, kind, bytes } = page
  const isOk = status >= 200 && status < 300
  const value: FetchedUrl = { url }
  if (isOk && kind === 'image') {
    const data = bytes.toString('base64')
    const part = { type: 'image' as const, data, mediaType: mediaType(contentType) }
    return toolResult({ value, content: url, parts: [part] })
  }
  if (isOk && kind === 'pdf') {
    const data = bytes.toString('base64')
    const part = { type: 'file' as const, data, mediaType: 'application/pdf' }
    return toolResult({ value, content: url, parts: [part] })
  }
  const { text, notices } = await textOf(page, context)
  if (!isOk) throw statusError(url, status, text)
  return toolResult({ value, content: [url, ...notices, '', text].join('\n'), parts: [] })
}

async function textOf(
  { url, kind, contentType, bytes, isCut }: Exclude<Page, { redirect: string }>,
  { signal, deadline }: ToolContext,
): Promise<{ readonly text: string; readonly notices: readonly string[] }> {
  const text = decodeText(bytes, contentType, kind === 'html')
  // Also the body of an error, whose type may be anything.
  if (text.includes('\0'))
    throw failed(`${url.href} is not text, although its type is ${contentType || 'unknown'}`)
  const notices = isCut ? [`[Only the first ${bytes.length >> 20} MiB were read.]`] : []
  if (kind !== 'html') return { text, notices }
  const { remainingMs } = deadline
  const converted = await convertHtml(text, { url: url.href, signal: signal as AbortSignal, remainingMs })
  const { problem } = converted
  const note =
    problem === null ? [] : [`[The page is plain text, because ${problem} to be converted to Markdown.]`]
  return { text: converted.text, notices: [...notices, ...note] }
}

function statusError(url: string, status: number, text: string): Error {
  const reason = STATUS_CODES[status] ?? ''
  const excerpt = copySlice(text.trim(), 0, maxErrorLength)
  return failed(
    `${url} responded with ${status} ${reason}`.trimEnd() + (excerpt === '' ? '' : `\n${excerpt}`),
  )
}

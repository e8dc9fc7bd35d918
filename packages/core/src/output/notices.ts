/** As much of a result as is of interest here. */
interface Noticed {
  readonly content: string
  readonly notices: readonly string[]
}

/** What a model reads of a result, with what the runtime has to add: a paragraph for each, clearly apart from the text. */
export function withNotices(body: string, notices: readonly string[]): string {
  return body + notices.map(paragraph).join('')
}

/** The same result with one more word for the model. */
export function addNotice<R extends Noticed>(result: R, notice: string): R {
  return { ...result, notices: [...result.notices, notice], content: withNotices(result.content, [notice]) }
}

/** The text alone: it may be JSON, which a notice behind it would break. */
export function contentWithoutNotices({ content, notices }: Noticed): string {
  return content.slice(0, content.length - withNotices('', notices).length)
}

/** How a notice is marked as ours. */
export function noticeText(notice: string): string {
  return `[curfew] ${notice}`
}

function paragraph(notice: string): string {
  return `\n\n${noticeText(notice)}`
}

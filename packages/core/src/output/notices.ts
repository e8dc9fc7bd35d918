import { modelText } from '../text/model-text.ts'

interface ResultWithNotices {
  readonly content: string
  readonly notices: readonly string[]
}

/** The content for the model: the body, and the runtime's notices, each as a separate paragraph. */
export function withNotices(body: string, notices: readonly string[]): string {
  return modelText(body + notices.map((notice) => `\n\n${noticeText(notice)}`).join(''))
}

/** Adds a notice to a result. */
export function addNotice<R extends ResultWithNotices>(result: R, notice: string): R {
  return { ...result, notices: [...result.notices, notice], content: withNotices(result.content, [notice]) }
}

/** The content alone: it may be JSON, which a notice would make invalid. */
export function contentWithoutNotices({ content, notices }: ResultWithNotices): string {
  return content.slice(0, content.length - withNotices('', notices).length)
}

/** Marks a notice as coming from the runtime. */
export function noticeText(notice: string): string {
  return `[curfew] ${notice}`
}

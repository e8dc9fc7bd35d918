import { CurfewError } from '@curfew/core'
import { displayUrl } from './http-error.ts'

/** Validates headers. The platform's own error would contain the value, which may be a secret. */
export function checkedHeaders(headers: Readonly<Record<string, string>>, url: string | URL): Headers {
  const checked = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    try {
      checked.set(name, value)
    } catch {
      const reason = 'its name or value contains characters that are not allowed in a header'
      throw new CurfewError(
        'INVALID_OPTION',
        `${displayUrl(url)}: the header ${name} cannot be sent: ${reason}`,
      )
    }
  }
  return checked
}

import { CurfewError } from '@curfew/core'
import { displayUrl } from './http-error.ts'

/** Headers that can be sent. The platform would show a value that cannot, and it may be a secret. */
export function checkedHeaders(headers: Readonly<Record<string, string>>, url: string | URL): Headers {
  const checked = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    try {
      checked.set(name, value)
    } catch {
      const why = 'its name or value has characters that no header may have'
      throw new CurfewError('INVALID_OPTION', `${displayUrl(url)}: the header ${name} cannot be sent: ${why}`)
    }
  }
  return checked
}

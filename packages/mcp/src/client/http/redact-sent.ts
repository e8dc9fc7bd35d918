import { Redactor } from '@curfew/core/internal'

/** Redacts the headers and URL parameters of requests: keys may be written in `mcp.json` as they are, and a server may repeat them. */
export function redactSent(headers: Readonly<Record<string, string>>, url: string): (text: string) => string {
  const redactor = new Redactor()
  for (const [name, value] of Object.entries(headers)) {
    redactor.add(`of the header ${name}`, value)
    // Without the scheme, as in `Bearer KEY`.
    redactor.add(`of the header ${name}`, value.split(' ').at(-1)!)
  }
  const { searchParams, username, password } = new URL(url)
  for (const value of [...searchParams.values(), username, password]) redactor.add('of the URL', value)
  return (text) => redactor.text(text)
}

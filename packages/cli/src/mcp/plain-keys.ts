import { howToStore } from '@curfew/core/adapter'
import { isSecretName } from '@curfew/core/secrets'
import { mentionsSecret, serverUse, splitSecret, type WrittenServer } from '@curfew/mcp/config'
import { oneLine } from '../terminal.ts'

const tellingName = /key|token|secret|passw|pwd|cred|auth(?!or)|cookie|session/i
const tellingValue =
  /^((sk|pk|rk)[-_]|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|npm_|hf_|ya29\.|eyJ[A-Za-z0-9_-]+\.)|^(Bearer|Basic|Token)\s+\S/
const randomLooking = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_+=-]{32,}$/

/** Is this a key in the clear? One that is named instead (`$VAR`, `secret:NAME`) is not. */
export function looksLikeKey(name: string, value: string): boolean {
  if (value.includes('$') || mentionsSecret(value)) return false
  if (tellingValue.test(value) || randomLooking.test(value)) return true
  return (
    tellingName.test(name) && value.length >= 8 && !/^(true|false|[\d.]+|[./~@-].*|https?:.*)$/i.test(value)
  )
}

/** An argument that is one, by itself or after the option before it. */
export function isKeyArgument(words: readonly string[], index: number): boolean {
  const word = words[index]!
  const [, name = words[index - 1] ?? '', value = word] = /^([^=]+)=(.*)$/s.exec(word) ?? []
  return looksLikeKey(name, value)
}

/** Lines on the keys that a server's entry has in the clear, and on how to get them out of there. */
export function adviseOnKeys(
  server: string,
  entry: WrittenServer,
  file: string,
  project: string | null,
): readonly string[] {
  const { args } = entry
  const address = addressOf(entry)
  const use = secretUse(server, entry, project)
  const lines: string[] = []
  const advise = (field: string, name: string, scheme = ''): void =>
    void lines.push(
      `${server}: ${oneLine(field)} looks like a key in the clear. Better:`,
      `  ${howToStore(name, use)}`,
      `  and in ${file}, in its place: ${JSON.stringify(`${scheme}secret:${name}`)}`,
    )
  for (const [name, value] of entriesOf(entry.env)) {
    if (looksLikeKey(name, value)) advise(`env.${name}`, isSecretName(name) ? name : nameFor(server, name))
  }
  for (const [name, value] of entriesOf(entry.headers)) {
    const [, scheme] = /^(Bearer |Basic |Token )/.exec(value) ?? []
    const word = scheme === undefined ? name : 'TOKEN'
    if (looksLikeKey(name, value)) advise(`headers.${name}`, nameFor(server, word), scheme)
  }
  const words = Array.isArray(args) ? args.map(String) : []
  const exposed = words.findIndex((_, index) => isKeyArgument(words, index))
  if (exposed >= 0)
    lines.push(
      `${server}: args[${exposed}] looks like a key, which others on this machine can see;`,
      '  if the server takes it from a variable, put it into "env" as secret:NAME',
    )
  if (address !== null && [...address.searchParams].some(([name, value]) => looksLikeKey(name, value)))
    lines.push(
      `${server}: url contains what looks like a key;`,
      '  if the server takes it from a header, put it into "headers" as secret:NAME',
    )
  return lines
}

/** For whom a secret of this server is stored. `project` is the `.curfew` that its entry is written to, if it is not the user's. */
export function secretUse(server: string, entry: WrittenServer, project: string | null): string {
  return serverUse({ name: server, url: addressOf(entry), project })
}

/** The secrets that it names, as in `Bearer secret:NAME`. */
export function secretsIn({ env, headers }: WrittenServer): readonly string[] {
  const texts = [...entriesOf(env), ...entriesOf(headers)].map(([, value]) => value)
  return [...new Set(texts.flatMap((text) => splitSecret(text)?.secret ?? []))]
}

function addressOf({ url }: WrittenServer): URL | null {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url) : null
}

function entriesOf(value: unknown): readonly (readonly [string, string])[] {
  return Object.entries(Object(value) as object).map(([name, inner]) => [name, String(inner)])
}

function nameFor(server: string, name: string): string {
  return `${server}_${name}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_')
}

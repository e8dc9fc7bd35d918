/** `host:api.example.com` and `tool:deploy`, for people. */
export function describeUse(use: string): string {
  const [kind, ...rest] = use.split(':')
  const name = rest.join(':')
  return kind === 'host' ? name : `the tool ${name}`
}

/** What a person may write for a use: a host, or a tool. */
export function parseUse(text: string): string {
  if (/^(host|tool):./.test(text)) return text
  return /[.:]/.test(text) || text === 'localhost' ? `host:${text}` : `tool:${text}`
}

/** The command that stores a secret for this use. */
export function howToStore(key: string, use: string | null): string {
  if (use === null) return `curfew secret set ${key}`
  const name = use.replace(/^(host|tool):/, '')
  return `curfew secret set ${key} --for ${shellWord(parseUse(name) === use ? name : use)}`
}

/** A folder may have a space in its name, and an address of version 6 has brackets. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

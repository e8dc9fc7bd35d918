/** `host:api.example.com` and `tool:deploy`, for people. */
export function describeUse(use: string): string {
  const [kind, ...rest] = use.split(':')
  const name = rest.join(':')
  return kind === 'host' ? name : `the tool ${name}`
}

/** The command that stores a secret for this use. */
export function howToStore(key: string, use: string | null): string {
  return `curfew secret set ${key}${use === null ? '' : ` --for ${use.replace(/^host:/, '')}`}`
}

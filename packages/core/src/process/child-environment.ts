/** What a command needs to run at all, and nothing that might be a secret. */
const passed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM', 'TMPDIR', 'PWD']

/** The variables that a command gets: a few of ours, and what it was given. */
export function childEnvironment(added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && (passed.includes(name) || name.startsWith('LC_'))) environment[name] = value
  }
  return { ...environment, ...added }
}

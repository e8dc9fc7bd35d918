/** What a command needs to run at all, and nothing that might be a secret. */
const passed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM', 'TMPDIR', 'PWD']
const windows = process.platform === 'win32'
if (windows) passed.push('SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'TEMP', 'USERPROFILE')

/** The variables that a command gets: a few of ours, and what it was given. */
export function childEnvironment(added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    const wanted = passed.includes(windows ? name.toUpperCase() : name)
    if (value !== undefined && (wanted || name.startsWith('LC_'))) environment[name] = value
  }
  return { ...environment, ...added }
}

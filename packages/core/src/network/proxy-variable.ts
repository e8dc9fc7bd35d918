/**
 * The environment variable that sends requests to this host through a proxy; `null` if none does. A proxy resolves names itself, so that
 * an address that was checked here says nothing about where the request arrives.
 */
export function proxyVariable(url: URL, env: Readonly<NodeJS.ProcessEnv>): string | null {
  const names = url.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']
  const name = [...names, 'all_proxy', 'ALL_PROXY'].find((variable) => env[variable])
  return name === undefined || isExcluded(url, env.no_proxy ?? env.NO_PROXY ?? '') ? null : name
}

/** `NO_PROXY`: hosts and domains, with an optional port, or `*`. */
function isExcluded({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = '', entryPort = ownPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    if (entry === '*') return true
    return name !== '' && entryPort === ownPort && (hostname === name || hostname.endsWith(`.${name}`))
  })
}

const variables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const

/** Whether the environment has a proxy. */
export function isProxied(): boolean {
  return variables.some((name) => process.env[name])
}

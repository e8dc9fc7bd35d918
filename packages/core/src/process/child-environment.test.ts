import { afterEach, expect, test, vi } from 'vitest'
import { childEnvironment } from './child-environment.ts'

afterEach(() => void vi.unstubAllEnvs())

test.each([
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'npm_config_registry',
  'NPM_CONFIG_REGISTRY',
  'npm_config_https_proxy',
  'npm_config_https-proxy',
  'npm_config_@shop:registry',
  'npm_config_cafile',
  'npm_config_userconfig',
  'npm_config_cache',
  'UV_DEFAULT_INDEX',
  'UV_NATIVE_TLS',
  'PIP_INDEX_URL',
  'DOCKER_HOST',
  'LC_ALL',
])('passes %s to commands', (name) => {
  vi.stubEnv(name, 'value')
  expect(childEnvironment()).toMatchObject({ [name]: 'value' })
})

test.each([
  'npm_config__authToken',
  'npm_config_//registry.example.com/:_authToken',
  'npm_config__auth',
  'npm_config__password',
  'npm_config_otp',
  'npm_config_key',
  'NPM_TOKEN',
  'UV_INDEX_SHOP_PASSWORD',
  'UV_PUBLISH_TOKEN',
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'NODE_OPTIONS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'SSH_AUTH_SOCK',
  'CURFEW_PASSPHRASE',
])('does not pass %s to commands', (name) => {
  vi.stubEnv(name, 'value')
  expect(childEnvironment()).not.toHaveProperty([name])
})

test('added variables override inherited ones', () => {
  vi.stubEnv('HTTPS_PROXY', 'http://ours')
  expect(childEnvironment({ HTTPS_PROXY: 'http://its' })).toMatchObject({ HTTPS_PROXY: 'http://its' })
})

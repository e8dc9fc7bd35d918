import { words } from '../collections/words.ts'

/** What every program needs to run. */
const base = 'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR PWD'

/** What programs need to reach the network. Proxies are read in both spellings. */
const network = `HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY
  http_proxy https_proxy all_proxy no_proxy ftp_proxy
  NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR NIX_SSL_CERT_FILE
  REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE GIT_SSL_CAINFO GIT_SSL_CAPATH HTTPLIB2_CA_CERTS
  GRPC_DEFAULT_SSL_ROOTS_FILE_PATH DENO_CERT DENO_TLS_CA_STORE CARGO_HTTP_CAINFO`

/** Where npx, uvx, docker and similar programs download from and to. */
const packages = `XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
  COREPACK_HOME COREPACK_NPM_REGISTRY PNPM_HOME BUN_INSTALL BUN_CONFIG_REGISTRY DENO_DIR
  YARN_REGISTRY YARN_NPM_REGISTRY_SERVER YARN_HTTP_PROXY YARN_HTTPS_PROXY YARN_HTTPS_CA_FILE_PATH YARN_CACHE_FOLDER
  UV_INDEX UV_DEFAULT_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_FIND_LINKS UV_OFFLINE UV_HTTP_TIMEOUT
  UV_NATIVE_TLS UV_SYSTEM_CERTS UV_INSECURE_HOST UV_CACHE_DIR UV_CONFIG_FILE UV_TOOL_DIR UV_PYTHON
  UV_PYTHON_INSTALL_DIR UV_PYTHON_INSTALL_MIRROR UV_LINK_MODE
  PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX PIP_PROXY PIP_CERT PIP_TRUSTED_HOST
  PIP_CONFIG_FILE PIP_CACHE_DIR PIPX_HOME
  DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG DOCKER_TLS_VERIFY DOCKER_CERT_PATH DOCKER_API_VERSION
  CONTAINER_HOST CONTAINERS_CONF CONTAINERS_STORAGE_CONF REGISTRY_AUTH_FILE`

const windowsOnly = `SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH
  APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROCESSOR_ARCHITECTURE`

const windows = process.platform === 'win32'
const passed: ReadonlySet<string> = new Set(
  words([base, network, packages, windows ? windowsOnly : ''].join(' ')),
)

/** npm accepts any case, and - or _. Settings with tokens or passwords are deliberately omitted. */
const npmSetting =
  /^npm_config_(?:registry|@[\w.-]+:registry|proxy|https[_-]proxy|noproxy|no[_-]proxy|ca|cafile|strict[_-]ssl|userconfig|globalconfig|cache|prefix|offline|prefer[_-]offline|maxsockets|fetch[_-]\w+)$/i

/** The environment of a command: what it needs to run and to reach the network, plus `added`. */
export function childEnvironment(added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && isPassed(name)) environment[name] = value
  }
  return { ...environment, ...added }
}

function isPassed(name: string): boolean {
  return passed.has(windows ? name.toUpperCase() : name) || name.startsWith('LC_') || npmSetting.test(name)
}

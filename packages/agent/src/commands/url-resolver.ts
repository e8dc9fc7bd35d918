import { type FetchedUrl, fetchUrlName } from '../tools/web/fetch-url-tool.ts'
import type { CommandAgent } from './command-host.ts'
import type { MentionResolver } from './resolve-mentions.ts'
import { fileParts } from './to-user-parts.ts'

const maxRedirects = 5

/** Reads `@url` with `fetch_url`. The person chose the address, so redirects to other hosts are followed, too. */
export function urlResolver(agent: Pick<CommandAgent, 'runAsPerson'>): MentionResolver<'url'> {
  return async ({ value }, signal) => {
    if (!URL.canParse(value)) return null
    let url = new URL(value).href
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const result = await agent.runAsPerson({ name: fetchUrlName, params: { url } }, { signal })
      if (result.status !== 'success') throw new Error(result.content)
      const { redirect } = result.value as FetchedUrl
      if (redirect === undefined)
        return [{ type: 'text', text: result.content }, ...fileParts(result.parts ?? [])]
      url = redirect
    }
    throw new Error(`it was redirected to other hosts more than ${maxRedirects} times`)
  }
}

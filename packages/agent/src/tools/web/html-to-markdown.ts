import TurndownService from 'turndown'

/** Not part of what a page says. */
const removed = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'canvas',
  'audio',
  'video',
  'button',
  'select',
  'textarea',
  'nav',
] as const

/** Runs as long, and takes as much memory, as a hostile page wants: see `convertHtml`. `url` is the address of the page. */
export function htmlToMarkdown(html: string, url: string): string {
  let title = ''
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  })
  service.remove([...removed])
  service.remove((node) => /^(svg|math)$/i.test(pageNode(node).nodeName))
  service.addRule('title', {
    filter: 'title',
    replacement(content) {
      title ||= content.trim()
      return ''
    },
  })
  service.addRule('link', {
    filter: (node) => pageNode(node).nodeName === 'A',
    replacement(content, node) {
      const target = absolute(pageNode(node).getAttribute('href'), url)
      const text = content.trim()
      return target === null || text === '' ? content : `[${text.replace(/\s*\n\s*/g, ' ')}](${target})`
    },
  })
  service.addRule('image', {
    filter: 'img',
    replacement(_content, node) {
      const element = pageNode(node)
      const alt = (element.getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim()
      const source = absolute(element.getAttribute('src'), url)
      return alt === '' || source === null ? alt : `![${alt.replace(/[[\]]/g, '\\$&')}](${source})`
    },
  })
  addTableRules(service)
  const body = service.turndown(html).trim()
  return title === '' || body.startsWith(`# ${title}`) ? body : `# ${title}\n\n${body}`
}

/** `null` if a model cannot fetch it. */
function absolute(reference: string | null, base: string): string | null {
  if (reference === null || !URL.canParse(reference, base)) return null
  const { protocol, href } = new URL(reference, base)
  return /^(https?|mailto):$/.test(protocol) ? href.replace(/[()]/g, encodeURIComponent) : null
}

/** Turndown writes every cell as a paragraph. */
function addTableRules(service: TurndownService): void {
  service.addRule('cell', {
    filter: ['th', 'td'],
    replacement: (content) =>
      `| ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|')} `,
  })
  service.addRule('row', {
    filter: 'tr',
    replacement(content, node) {
      const cells = [...pageNode(node).childNodes].filter(({ nodeName }) => /^T[HD]$/.test(nodeName)).length
      if (cells === 0) return ''
      return isFirstRow(pageNode(node)) ? `${content}|\n${'| --- '.repeat(cells)}|\n` : `${content}|\n`
    },
  })
  service.addRule('rows', {
    filter: ['thead', 'tbody', 'tfoot'],
    replacement: (content) => `${content.trim()}\n`,
  })
  service.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${content.replace(/\n+/g, '\n').trim()}\n\n`,
  })
}

function isFirstRow(row: PageNode): boolean {
  let table: PageNode | null = row
  while (table !== null && table.nodeName !== 'TABLE') table = table.parentNode
  return table?.querySelector('tr') === row
}

/** What is used of the DOM, whose types are not loaded. */
interface PageNode {
  readonly nodeName: string
  readonly parentNode: PageNode | null
  readonly childNodes: Iterable<PageNode>
  getAttribute(name: string): string | null
  querySelector(selector: string): PageNode | null
}

function pageNode(node: unknown): PageNode {
  return node as PageNode
}

/** The program that `convertHtml` runs: reads a page from standard input and writes Markdown. */
import { readFileSync } from 'node:fs'
import { htmlToMarkdown } from './html-to-markdown.ts'

const { html, url } = JSON.parse(readFileSync(0, 'utf8')) as { readonly html: string; readonly url: string }
process.stdout.write(htmlToMarkdown(html, url))

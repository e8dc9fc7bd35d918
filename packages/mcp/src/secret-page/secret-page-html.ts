import { hash } from 'node:crypto'
import { minSecretLength } from '@curfew/core/internal'

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText }
main { box-sizing: border-box; width: min(100%, 30rem); padding: 2rem 1.5rem }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 1rem }
code { font: .95em ui-monospace, monospace; overflow-wrap: anywhere }
dl { margin: 1rem 0 1.5rem; display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem }
dt { opacity: .75 } dd { margin: 0; overflow-wrap: anywhere }
label { display: block; font-weight: 600; margin-bottom: .35rem }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid GrayText; border-radius: .4rem }
button { font: inherit; padding: .55rem 1.1rem; border: 1px solid GrayText; border-radius: .4rem; cursor: pointer }
button.first { background: #1b5fc1; border-color: #1b5fc1; color: #fff }
input:focus-visible, button:focus-visible { outline: 3px solid #5b9bff; outline-offset: 2px }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem }
.hint { margin: 0 0 1rem; padding: .5rem .75rem; border-left: 4px solid #c4421a }
.small { font-size: .875rem; opacity: .75; margin: 1.5rem 0 0 }
`

/** The page may load only its own style. */
export const styleHash: string = `sha256-${hash('sha256', style, 'base64')}`

export interface SecretQuestion {
  /** The secret's name. */
  readonly key: string
  /** What the secret is for: `api.example.com`; `null` if that is not known yet. */
  readonly use: string | null
  /** Why it is needed. */
  readonly message: string
}

export function formPage({ key, use, message }: SecretQuestion, hint: string): string {
  return page(
    `Curfew needs ${key}`,
    `<h1>Curfew needs <code>${plain(key)}</code></h1>
<p>${plain(message)}</p>
<dl><dt>Secret</dt><dd><code>${plain(key)}</code></dd>${use === null ? '' : `<dt>Used by</dt><dd>${plain(use)}</dd>`}</dl>
${hint === '' ? '' : `<p class="hint" role="alert">${plain(hint)}</p>`}
<form method="post" autocomplete="off">
<label for="secret">Value</label>
<input id="secret" name="secret" type="password" required minlength="${minSecretLength}" autocomplete="off"
 autocapitalize="off" spellcheck="false" autofocus>
<div class="buttons"><button class="first" name="action" value="save">Save</button>
<button name="action" value="decline" formnovalidate>Decline</button></div>
</form>
<p class="small">The value is sent only to Curfew on this machine. No model sees it.</p>`,
  )
}

export function endPage(message: string): string {
  return page('Curfew', `<h1>${plain(message)}</h1>\n<p>You can close this page.</p>`)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${plain(title)}</title><style>${style}</style></head>
<body><main>
${content}
</main></body>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Names and messages may come from a server: markup is escaped, and invisible characters are removed. */
function plain(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/[&<>"']/g, (sign) => entities[sign] ?? '')
}

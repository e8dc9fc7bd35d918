import { mkdirSync, writeFileSync } from 'node:fs'
import { palettes } from './readme-image/palettes.ts'
import { columns, question, recordScene } from './readme-image/record-scene.ts'
import { screenToSvg } from './readme-image/screen-to-svg.ts'
import { settleScreen } from './readme-image/settle-screen.ts'

/** Writes the images near the top of the README from a real run of the built command, which needs tmux. */
const folder = new URL('../docs/images/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const theme of ['dark', 'light'] as const) {
  const screen = settleScreen(await recordScene(theme))
  const title = 'A conversation with curfew in a terminal'
  const svg = screenToSvg(screen, { columns, palette: palettes[theme], beginsWith: question, title })
  writeFileSync(new URL(`terminal-${theme}.svg`, folder), svg)
  process.stdout.write(`docs/images/terminal-${theme}.svg: ${svg.length} bytes\n`)
}

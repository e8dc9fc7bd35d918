/** Prints N lines a second for a number of seconds, however late timers are. */
const [perSecond = 1, seconds = 1] = process.argv.slice(2).map(Number)
const start = performance.now()
let printed = 0

setInterval(() => {
  const due = Math.floor(((performance.now() - start) * perSecond) / 1_000)
  let text = ''
  while (printed < due) text += `line ${printed++} of a build that prints what it does\n`
  process.stdout.write(text)
  if (printed >= perSecond * seconds) process.exit()
}, 10)

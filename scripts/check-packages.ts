import { readdirSync } from 'node:fs'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** Checks that the published files match what each package.json declares. */
let problems = 0
for (const folder of readdirSync('packages')) {
  const { messages, pkg } = await publint({ pkgDir: `packages/${folder}`, strict: true })
  for (const message of messages) {
    problems++
    process.stdout.write(`${pkg.name}: ${formatMessage(message, pkg)}\n`)
  }
}
if (problems > 0) process.exitCode = 1
else process.stdout.write('package shapes are valid\n')

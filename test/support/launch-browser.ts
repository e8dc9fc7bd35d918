import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { browserFolder } from './browser-folder.ts'
import { canTest } from './can-test.ts'

/** The package contains a browser for Linux on x64 only. */
export const browserRuns: boolean = canTest(
  process.platform === 'linux' && process.arch === 'x64' ? null : 'the browser needs Linux on x64',
)

/** Launches the browser that an npm package contains, so that no test depends on what is installed on the machine. */
export async function launchBrowser(): Promise<Browser> {
  const folder = await unpackBrowser()
  return await chromium.launch({
    executablePath: join(folder, 'chromium'),
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-background-networking'],
    env: {
      ...process.env,
      // It sometimes leaves a temporary folder behind when it is closed.
      TMPDIR: folder,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  })
}

/** Unpacks once per test run. Workers that unpack at the same time each use their own folder; the first rename wins. */
async function unpackBrowser(): Promise<string> {
  const folder = join(tmpdir(), browserFolder)
  if (existsSync(folder)) return folder
  const unpacked = await mkdtemp(`${folder}-`)
  const program = "import('@sparticuz/chromium').then((module) => module.default.executablePath())"
  await promisify(execFile)(process.execPath, ['-e', program], {
    // The second variable makes the package also unpack the libraries that a minimal machine lacks.
    env: { ...process.env, TMPDIR: unpacked, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    cwd: import.meta.dirname,
  })
  // The package expects its fonts in /tmp, and the browser exits without fonts.
  const fonts = `<dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir>`
  await writeFile(join(unpacked, 'fonts', 'fonts.conf'), `<fontconfig>${fonts}</fontconfig>`)
  await rename(unpacked, folder).catch(async (error: unknown) => {
    await rm(unpacked, { recursive: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}

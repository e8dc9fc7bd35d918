import type { ChildProcess } from 'node:child_process'

const startMs = 60_000

/** The URL of an MCP endpoint, which a server prints to stderr when it listens. */
export function readPrintedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stderr = ''
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not listen within ${startMs} ms:\n${stderr}`))
    }, startMs)
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
      const url = /http:\/\/\S+\/mcp\b/.exec(stderr)?.[0]
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    })
    child.once('exit', (code) => {
      clearTimeout(late)
      reject(new Error(`the server exited with ${code} before it listened:\n${stderr}`))
    })
  })
}

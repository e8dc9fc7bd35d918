export async function openSecretPage(_: {
  key: string
  use: string | null
  message: string
}): Promise<{ url: string; answer: Promise<string | null>; close(): Promise<void> }> {
  throw new Error('not there yet')
}

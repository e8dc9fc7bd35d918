import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'

/** The error of a response to the older transport, which does not read its body. */
export async function rejectedStream(response: Response): Promise<SdkHttpError> {
  const { status, statusText } = response
  const text = await response.text()
  const code = SdkErrorCode.ClientHttpFailedToOpenStream
  return new SdkHttpError(code, 'the event stream was rejected', { status, statusText, text })
}

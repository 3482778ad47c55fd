/** Whether a text is an absolute http or https URL. */
export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Whether a host, as it stands in an address or without the brackets of one, is always this machine. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127\.\S+)$/i.test(host.replace(/\.$/, ''))

declare global {
  /** Read by libraries that add style sheets while they run (react-remove-scroll). */
  var __webpack_nonce__: string | undefined
}

/** The nonce of this page: its policy allows style sheets that scripts add only with it. */
export function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}

export function passNonceOn(): void {
  globalThis.__webpack_nonce__ = pageNonce()
}

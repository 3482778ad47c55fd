/**
 * What a terminal obeys or nobody sees: controls, formats such as those that turn the direction of writing, separators of
 * lines, fillers. The selector U+FE0F, which makes an emoji colourful, is left alone.
 */
const UNSEEN = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The same but for what JSON escapes anyway, and the line's own end. */
const UNSEEN_IN_JSON = /(?!\ufe0f)[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const NOT_ASCII = /[^\n\x20-\x7e]/

/** Others' text with what cannot be seen spelled out, so that a terminal obeys none of it and no two texts look the same. */
export const printable = (text: string): string =>
  text.replaceAll(UNSEEN, (one) => names[one] ?? `\\u{${one.codePointAt(0)?.toString(16)}}`)

const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** JSON with what cannot be seen as escapes: it says the same, and shows it. */
export const printableJson = (json: string): string =>
  NOT_ASCII.test(json) ? json.replaceAll(UNSEEN_IN_JSON, escapesOf) : json

const escapesOf = (character: string) =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

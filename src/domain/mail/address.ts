const LOCAL = String.raw`[^\s\p{C}<>()[\]@",;:\\/]{1,64}`
const ADDRESS = new RegExp(String.raw`^${LOCAL}@[^\s\p{C}<>()[\]@",;:\\]{1,190}\.[^\s\p{C}<>()[\]@",;:\\.]{2,63}$`, 'u')

/**
 * Whether a text can be an address, and one alone: what separates or comments addresses (RFC 5322, section 3.4) is refused, so that
 * nobody gets a mail by way of another's address; so is the slash, with which an address would be the address of a page. Whether it exists, only a mail to it shows.
 */
export const isEmailAddress = (text: string): boolean => ADDRESS.test(text)

/** What of a chat message is shown. */
export type Message = { id: string; user_name: string; content: string }

/** More than fit on a screen; older ones go. */
const SHOWN_MAX = 50

const list = elementBy('messages')
const notice = elementBy('notice')
const live = elementBy('live')

/** Shows a message below the others. Whatever somebody wrote is text, never markup. */
export function show({ id, user_name, content }: Message): void {
  const item = document.createElement('li')
  item.className = 'message'
  item.dataset.id = id
  item.append(span('name', user_name), span('text', content))
  list.append(item)
  while (list.children.length > SHOWN_MAX) list.firstElementChild?.remove()
}

export function hide(id: string): void {
  list.querySelector(`[data-id="${CSS.escape(id)}"]`)?.remove()
}

/** Says something in place of the chat, or nothing again. */
export function say(text: string): void {
  notice.textContent = text
  notice.hidden = text === ''
}

/** Says whether the channel is live. */
export function showLive(isLive: boolean): void {
  live.textContent = isLive ? 'Live' : 'Offline'
  live.dataset.live = String(isLive)
  live.hidden = false
}

/** Shows nothing more, and says why. */
export function goDark(reason: string): void {
  list.replaceChildren()
  live.hidden = true
  say(reason)
}

function span(name: string, text: string): HTMLElement {
  const element = document.createElement('span')
  element.className = name
  element.dir = 'auto'
  element.textContent = text
  return element
}

function elementBy(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no element "${id}"`)
  return element
}

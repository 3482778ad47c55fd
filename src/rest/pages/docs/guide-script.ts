/** Adds a button to each example of a guide that copies it; on plain http, where browsers have no clipboard, as they did before. */
export const guideScript = `const copied = async (text, beside) => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    beside.after(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    return isCopied
  }
}
for (const pre of document.querySelectorAll('main pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  const say = (text, name = text) => {
    button.textContent = text
    button.setAttribute('aria-label', name)
  }
  const offer = () => say('Copy', 'Copy: ' + (pre.getAttribute('aria-label') ?? 'example'))
  offer()
  button.addEventListener('click', async () => {
    say((await copied(pre.textContent, button)) ? 'Copied' : 'Not copied: select it')
    button.focus()
    setTimeout(offer, 2000)
  })
  const frame = document.createElement('div')
  frame.className = 'example'
  pre.replaceWith(frame)
  frame.append(pre, button)
}
`

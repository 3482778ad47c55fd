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
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy: ' + (pre.getAttribute('aria-label') ?? 'example'))
  button.addEventListener('click', async () => {
    const isCopied = await copied(pre.textContent, button)
    button.textContent = isCopied ? 'Copied' : 'Not copied: select it'
    button.focus()
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
  const frame = document.createElement('div')
  frame.className = 'example'
  pre.replaceWith(frame)
  frame.append(pre, button)
}
`

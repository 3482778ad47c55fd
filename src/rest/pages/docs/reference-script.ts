/**
 * Starts the viewer in the browser. It follows the system's colours, which it would only do by a switch; names no server,
 * because there is but this one; and has no links inside of its buttons, which keyboards and screen readers cannot enter.
 */
export const referenceScript = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const within = {
  wrapComponents: {
    DeepLink: (_original, { React }) => ({ text }) => React.createElement('span', null, text),
    ServersContainer: () => () => null,
  },
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [within],
})
`

import { ownTokenScript } from './own-token-script.ts'

/**
 * Starts the viewer in the browser and corrects it. It follows the system's colours, which it would only do by a switch; has
 * no links inside of its buttons, which keyboards and screen readers cannot enter; and is one part of a page of ours, where
 * its own layout is a whole page.
 */
export const referenceScript = `const { clientId, document: url } = document.currentScript.dataset
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const mapped = (object = {}, change) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
const sentences = (...parts) => parts.filter(Boolean).join(' ')
const quoted = (word, value) => value !== undefined && word + ' \`' + [value].flat().join(', ') + '\`.'
const explained = ({ description, example, default: preset }) =>
  sentences(description, quoted('By default', preset), quoted('Such as', example))

// The viewer would send every example and default in a field along, so they are told beside it.
const unfilledParameter = ({ example, schema = {}, ...parameter }) => {
  const { default: preset, ...bare } = schema
  const description = explained({ ...parameter, example, default: preset })
  return parameter.$ref ? parameter : { ...parameter, description, schema: bare }
}
// A choice of one is a text, too: the first would be chosen.
const unfilledField = ({ enum: _choice, ...field }) => ({
  ...field,
  description: explained(field),
  example: field.type === 'array' ? [] : '',
})

function unfilledForms(content, schemas) {
  const named = ({ $ref = '', ...schema }) => schemas[$ref.split('/').at(-1)] ?? schema
  const form = (media) => {
    const schema = named(media.schema)
    return { ...media, schema: { ...schema, properties: mapped(schema.properties, unfilledField) } }
  }
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [type, type === 'application/json' ? media : form(media)]),
  )
}

// What the page offers of the document: nothing that is the operator's, and all of it at the address of the page.
function offered(given) {
  const { paths, tags, components, ...rest } = JSON.parse(
    JSON.stringify(given).replaceAll(given.servers[0].url, location.origin),
  )
  const { securitySchemes: { cronSecret, ...securitySchemes }, ...parts } = components
  const unfilled = ({ parameters = [], requestBody, ...operation }) => ({
    ...operation,
    parameters: parameters.map(unfilledParameter),
    ...(requestBody && {
      requestBody: { ...requestBody, content: unfilledForms(requestBody.content, parts.schemas) },
    }),
  })
  const isForCallers = ([, operation]) => !operation.tags.includes('Internal')
  const itemOf = (item) => mapped(Object.fromEntries(Object.entries(item).filter(isForCallers)), unfilled)
  const items = Object.entries(mapped(paths, itemOf)).filter(([, item]) => Object.keys(item).length > 0)
  return {
    ...rest,
    paths: Object.fromEntries(items),
    tags: tags.filter(({ name }) => name !== 'Internal'),
    components: { ...parts, securitySchemes },
  }
}

const corrections = ({ React: { createElement: element } }) => ({
  statePlugins: { spec: { wrapActions: { updateJsonSpec: (update) => (given) => update(offered(given)) } } },
  wrapComponents: {
    DeepLink: () => ({ text }) => element('span', null, text),
  },
  components: {
    ReferenceLayout: ({ getComponent, specSelectors }) => {
      const part = (name) => element(getComponent(name, true))
      const row = (...within) => element('div', { className: 'wrapper' }, ...within)
      if (!specSelectors.specStr()) return element('div', { className: 'swagger-ui' }, row(part('errors')))
      return element(
        'div',
        { className: 'swagger-ui' },
        part('SvgAssets'),
        row(part('errors'), part('InfoContainer')),
        element('div', { className: 'scheme-container' }, row(part('AuthorizeBtnContainer'))),
        row(element('h2', null, 'Operations')),
        element('div', { id: 'operations', tabIndex: -1 }, row(part('operations')), row(part('Webhooks'))),
      )
    },
  },
})

const ui = SwaggerUIBundle({
  url,
  dom_id: '#reference',
  layout: 'ReferenceLayout',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  oauth2RedirectUrl: location.origin + '/docs/oauth2-redirect.html',
  plugins: [corrections],
})
ui.initOAuth({ clientId, usePkceWithAuthorizationCodeGrant: true })
${ownTokenScript}`

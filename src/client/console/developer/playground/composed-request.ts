import type { DescribedOperation } from './described-operations.ts'

/** What was typed: parameters by their names, and the body as JSON. */
export type TypedRequest = { values: Record<string, string>; body: string }

/** A request as it is sent; the credential comes to it later. */
export type ComposedRequest = { method: string; url: string; body: string | undefined }

export const firstTyped = ({ parameters, body }: DescribedOperation): TypedRequest => ({
  values: Object.fromEntries(parameters.map(({ name, isRequired, example }) => [name, isRequired ? example : ''])),
  body: body === undefined ? '' : JSON.stringify(body, null, 2),
})

/** Optional parameters that are empty are left out. */
export function compose(operation: DescribedOperation, { values, body }: TypedRequest, base: string): ComposedRequest {
  const { method, parameters } = operation
  const query = new URLSearchParams()
  let { path } = operation
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? ''
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(name, value)
  }
  const search = query.toString()
  return {
    method,
    url: `${base}${path}${search && `?${search}`}`,
    body: operation.body === undefined ? undefined : body,
  }
}

/** Why a body is no JSON; undefined for one that is. */
export function faultOfBody(body: string): string | undefined {
  try {
    JSON.parse(body)
    return undefined
  } catch {
    return 'It is not JSON.'
  }
}

type Language = 'curl' | 'TypeScript' | 'Python'
export const languages: readonly Language[] = ['curl', 'TypeScript', 'Python']

/** The same request in a language, with the token in the environment. */
export function codeOf(language: Language, request: ComposedRequest): string {
  switch (language) {
    case 'curl':
      return curlOf(request)
    case 'TypeScript':
      return typescriptOf(request)
    case 'Python':
      return pythonOf(request)
  }
}

const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curlOf({ method, url, body }: ComposedRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${inShell(url)}`,
    '-H "Authorization: Bearer $ACCESS_TOKEN"',
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${inShell(compact(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

function typescriptOf({ method, url, body }: ComposedRequest): string {
  const token = `\`Bearer \${process.env.ACCESS_TOKEN}\``
  const type = body === undefined ? '' : `, 'content-type': 'application/json'`
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    `  headers: { authorization: ${token}${type} },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${compact(body)}),`]),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

function pythonOf({ method, url, body }: ComposedRequest): string {
  return [
    'import json',
    'import os',
    'import requests',
    '',
    'response = requests.request(',
    `    "${method}",`,
    `    ${JSON.stringify(url)},`,
    `    headers={"Authorization": f"Bearer {os.environ['ACCESS_TOKEN']}"},`,
    ...(body === undefined ? [] : [`    json=json.loads(${JSON.stringify(compact(body))}),`]),
    '    timeout=10,',
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

/** In one line; what is no JSON stays as it is. */
function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

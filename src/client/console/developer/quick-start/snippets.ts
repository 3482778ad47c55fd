/** The values that fill the snippets. */
export type Filling = { baseUrl: string; clientId: string; redirectUri: string; receiverUrl: string }

export type Snippet = { language: 'curl' | 'TypeScript' | 'Python'; code: string }

/** The first call with an API key. */
export const firstCall = ({ baseUrl }: Filling): Snippet[] => [
  {
    language: 'curl',
    code: `curl ${baseUrl}/v1/livestreams/ \\
  -H "Authorization: Bearer $API_KEY"`,
  },
  {
    language: 'TypeScript',
    code: `const response = await fetch('${baseUrl}/v1/livestreams/', {
  headers: { authorization: \`Bearer \${process.env.API_KEY}\` },
})
const { data, error } = await response.json()
if (error) throw new Error(\`\${error.code}: \${error.message}\`)
for (const { title, channel } of data) console.log(channel.username, title)`,
  },
  {
    language: 'Python',
    code: `import os
import requests

response = requests.get(
    "${baseUrl}/v1/livestreams/",
    headers={"Authorization": f"Bearer {os.environ['API_KEY']}"},
    timeout=10,
)
response.raise_for_status()
for stream in response.json()["data"]:
    print(stream["channel"]["username"], stream["title"])`,
  },
]

/** A token for the application itself. */
export const clientCredentials = ({ baseUrl, clientId }: Filling): Snippet[] => [
  {
    language: 'curl',
    code: `curl ${baseUrl}/oauth/token \\
  -u "${clientId}:$CLIENT_SECRET" \\
  -d grant_type=client_credentials`,
  },
  {
    language: 'TypeScript',
    code: `const response = await fetch('${baseUrl}/oauth/token', {
  method: 'POST',
  headers: { authorization: \`Basic \${btoa(\`${clientId}:\${process.env.CLIENT_SECRET}\`)}\` },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
})
const { access_token, expires_in } = await response.json()`,
  },
  {
    language: 'Python',
    code: `import os
import requests

response = requests.post(
    "${baseUrl}/oauth/token",
    auth=("${clientId}", os.environ["CLIENT_SECRET"]),
    data={"grant_type": "client_credentials"},
    timeout=10,
)
access_token = response.json()["access_token"]`,
  },
]

/** Letting a person log in: the address to send them to. */
export const authorization = ({ baseUrl, clientId, redirectUri }: Filling): Snippet[] => [
  {
    language: 'curl',
    code: `VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo "${baseUrl}/oauth/authorize?response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(redirectUri)}&scope=user:read&state=$(openssl rand -hex 8)&code_challenge=$CHALLENGE&code_challenge_method=S256"`,
  },
  {
    language: 'TypeScript',
    code: `import { createHash, randomBytes } from 'node:crypto'

const verifier = randomBytes(32).toString('base64url') // keep it, with the state, until the person comes back
const url = new URL('${baseUrl}/oauth/authorize')
url.search = new URLSearchParams({
  response_type: 'code',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',
  scope: 'user:read',
  state: randomBytes(16).toString('base64url'),
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}).toString()`,
  },
  {
    language: 'Python',
    code: `import base64
import hashlib
import secrets
from urllib.parse import urlencode

verifier = secrets.token_urlsafe(32)  # keep it, with the state, until the person comes back
digest = hashlib.sha256(verifier.encode()).digest()
url = "${baseUrl}/oauth/authorize?" + urlencode({
    "response_type": "code",
    "client_id": "${clientId}",
    "redirect_uri": "${redirectUri}",
    "scope": "user:read",
    "state": secrets.token_urlsafe(16),
    "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
    "code_challenge_method": "S256",
})`,
  },
]

/** Receiving events: a subscription by the API itself. */
export const subscription = ({ baseUrl, receiverUrl }: Filling): Snippet[] => [
  {
    language: 'curl',
    code: `curl ${baseUrl}/v1/events/subscriptions \\
  -H "Authorization: Bearer $API_KEY" \\
  -d url=${receiverUrl} \\
  -d event_types=livestream.started`,
  },
  {
    language: 'TypeScript',
    code: `const response = await fetch('${baseUrl}/v1/events/subscriptions', {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.API_KEY}\`, 'content-type': 'application/json' },
  body: JSON.stringify({ url: '${receiverUrl}', event_types: ['livestream.started'] }),
})
const { data } = await response.json()
console.log(data.signing_secret) // shown this once`,
  },
  {
    language: 'Python',
    code: `import os
import requests

response = requests.post(
    "${baseUrl}/v1/events/subscriptions",
    headers={"Authorization": f"Bearer {os.environ['API_KEY']}"},
    json={"url": "${receiverUrl}", "event_types": ["livestream.started"]},
    timeout=10,
)
print(response.json()["data"]["signing_secret"])  # shown this once`,
  },
]

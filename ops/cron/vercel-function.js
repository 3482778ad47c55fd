// api/webhook-deliveries.js beside that vercel.json. Vercel's clock sends `Authorization: Bearer <CRON_SECRET>`, which is
// passed on; API_URL is where the service is.
export async function GET(request) {
  const { API_URL, CRON_SECRET } = process.env
  const authorization = request.headers.get('authorization')
  if (authorization !== `Bearer ${CRON_SECRET}`) return new Response(null, { status: 401 })
  return fetch(`${API_URL}/cron/webhook-deliveries`, { method: 'POST', headers: { authorization } })
}

export const maxDuration = 60

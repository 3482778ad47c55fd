import { z } from 'zod'

const Confidential = z.object({ client_id: z.string(), client_secret: z.string(), redirect_uri: z.string() })
const Public = z.object({ client_id: z.string(), redirect_uri: z.string() })
const Person = z.object({
  id: z.string(),
  username: z.string(),
  password: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
})

/** What a person or a script needs to make the first calls; stored in `DATA_DIR/demo.json`. */
export const DemoCredentials = z.object({
  base_url: z.string(),
  client: Confidential,
  other_client: Confidential,
  public_client: Public,
  api_key: z.string(),
  users: z.object({ streamer: Person, viewer: Person, outsider: Person }),
})
export type DemoCredentials = z.infer<typeof DemoCredentials>
export type DemoName = keyof DemoCredentials['users']

import * as z from 'zod'
import { acceptInvitation, declineInvitation, readInvitation } from '../../domain/applications/people/accept.ts'
import { invitePerson, offerTransfer, revokeInvitation } from '../../domain/applications/people/invite.ts'
import { listPeople } from '../../domain/applications/people/list.ts'
import { changeRole, leaveApplication, removeMember } from '../../domain/applications/people/members.ts'
import {
  ApplicationPeople,
  Invitation,
  Joined,
  ReceivedInvitation,
} from '../../domain/applications/people/resources.ts'
import { acceptTransfer } from '../../domain/applications/people/transfer.ts'
import { memberRoles } from '../../shared/roles.ts'
import { text } from '../fields.ts'
import { procedure } from '../operation.ts'
import { router } from '../trpc.ts'

const ofApplication = () => ({ application_id: text() })
const ofMember = () => ({ ...ofApplication(), user_id: text() })
/** Never by GET: URLs are logged. */
const byToken = () => z.object({ token: text() })

/** Who belongs to an application. What an invitation offers is judged by its token and by whom it went to, so these need no role. */
export const peopleRouter = router({
  list: procedure({ access: 'session', role: 'viewer' })
    .input(z.object(ofApplication()))
    .output(ApplicationPeople)
    .query(({ ctx, input }) => listPeople(ctx, input)),

  invite: procedure({ access: 'session', role: 'owner', needs: ['stepUp'] })
    .input(z.object({ ...ofApplication(), email: text(), role: z.enum(memberRoles) }))
    .output(Invitation)
    .mutation(({ ctx, input }) => invitePerson(ctx, input)),

  offerTransfer: procedure({ access: 'session', role: 'owner', needs: ['stepUp'] })
    .input(z.object({ ...ofApplication(), user_id: text().optional(), email: text().optional() }))
    .output(Invitation)
    .mutation(({ ctx, input }) => offerTransfer(ctx, input)),

  revokeInvitation: procedure({ access: 'session', role: 'owner' })
    .input(z.object({ ...ofApplication(), id: text() }))
    .output(z.void())
    .mutation(({ ctx, input }) => revokeInvitation(ctx, input)),

  changeRole: procedure({ access: 'session', role: 'owner', needs: ['stepUp'] })
    .input(z.object({ ...ofMember(), role: z.enum(memberRoles) }))
    .output(z.void())
    .mutation(({ ctx, input }) => changeRole(ctx, input)),

  remove: procedure({ access: 'session', role: 'owner', needs: ['stepUp'] })
    .input(z.object(ofMember()))
    .output(z.void())
    .mutation(({ ctx, input }) => removeMember(ctx, input)),

  leave: procedure({ access: 'session', role: 'viewer' })
    .input(z.object(ofApplication()))
    .output(z.void())
    .mutation(({ ctx, input }) => leaveApplication(ctx, input)),

  invitation: procedure({ access: 'session' })
    .input(byToken())
    .output(ReceivedInvitation)
    .mutation(({ ctx, input }) => readInvitation(ctx, input)),

  accept: procedure({ access: 'session' })
    .input(byToken())
    .output(Joined)
    .mutation(({ ctx, input }) => acceptInvitation(ctx, input)),

  decline: procedure({ access: 'session' })
    .input(byToken())
    .output(z.void())
    .mutation(({ ctx, input }) => declineInvitation(ctx, input)),

  acceptTransfer: procedure({ access: 'session', needs: ['stepUp'] })
    .input(z.object({ token: text().optional(), application_id: text().optional() }))
    .output(Joined)
    .mutation(({ ctx, input }) => acceptTransfer(ctx, input)),
})

/**
 * What the document shows in place of identifiers and names. Where there is demo data, its people, a category and a live
 * stream have these, so that the examples can be tried; those of a message and a subscription only show their shape.
 */
export const examples = {
  username: 'streamer',
  userId: 'usr_01kdyrfq3e7y2n8v4c5b6m9t0a',
  viewerId: 'usr_01kdyrfq3e7w4h9k2p5r8s1t6v',
  outsiderId: 'usr_01kdyrfq3e7z6d0f3g7j1m4q8x',
  category: 'software',
  categoryId: 'cat_01kdyrfq3e7y2n8v4c5b6m9t0a',
  livestreamId: 'str_01kdyrfq3e7y2n8v4c5b6m9t0a',
  messageId: 'msg_01kdyrfq3e7y2n8v4c5b6m9t0a',
  subscriptionId: 'sub_01kdyrfq3e7y2n8v4c5b6m9t0a',
} as const

"""What the API answers. Made from its documents by generate.ts."""

from __future__ import annotations

from typing import Any, Literal, Optional, TypedDict, Union


class ChannelName(TypedDict):
    id: str
    username: str


class WebhookTestEvent(TypedDict):
    id: str
    type: Literal["webhook.test"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: TestNotice


class TestNotice(TypedDict):
    message: str


class LivestreamStartedEvent(TypedDict):
    id: str
    type: Literal["livestream.started"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: Livestream


class Livestream(TypedDict):
    id: str
    title: Optional[str]
    category: Optional[str]
    thumbnail_url: Optional[str]
    channel: Optional[ChannelName]
    updated_at: str


class LivestreamUpdatedEvent(TypedDict):
    id: str
    type: Literal["livestream.updated"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: Livestream


class LivestreamEndedEvent(TypedDict):
    id: str
    type: Literal["livestream.ended"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: Livestream


class ChatMessageSentEvent(TypedDict):
    id: str
    type: Literal["chat.message.sent"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: EventMessage


class EventMessage(TypedDict):
    id: str
    content: str
    type: str
    created_at: str
    room_name: str
    user_identity: str
    user_name: str


class ChatMessageDeletedEvent(TypedDict):
    id: str
    type: Literal["chat.message.deleted"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: EventMessage


class ModerationBanCreatedEvent(TypedDict):
    id: str
    type: Literal["moderation.ban.created"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: Ban


class Ban(TypedDict):
    id: str
    created_at: str
    blocked_user: Optional[ChannelName]


class ModerationBanRemovedEvent(TypedDict):
    id: str
    type: Literal["moderation.ban.removed"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: Ban


class ChannelUpdatedEvent(TypedDict):
    id: str
    type: Literal["channel.updated"]
    timestamp: str
    channel: ChannelName
    sequence: int
    data: Channel


class Channel(TypedDict):
    id: str
    username: str
    bio: Optional[str]
    image_url: Optional[str]
    is_live: bool


class TokenResponse(TypedDict):
    access_token: str
    token_type: Literal["Bearer"]
    expires_in: float
    scope: str
    refresh_token: str
    id_token: str


class CurrentUser(TypedDict):
    id: str
    username: str
    email: str
    bio: Optional[str]
    image_url: Optional[str]


class Category(TypedDict):
    id: str
    slug: str
    label: str
    description: Optional[str]
    image_url: Optional[str]
    featured: bool
    sort_order: float


class ListedMessage(TypedDict):
    id: str
    content: str
    type: str
    created_at: str
    user_identity: str
    user_name: str


class SentMessage(TypedDict):
    id: str
    content: str
    type: str
    created_at: str
    room_name: str


class Subscription(TypedDict):
    id: str
    url: str
    event_types: list[str]
    description: Optional[str]
    status: str
    created_at: str


class CreatedSubscription(TypedDict):
    id: str
    url: str
    event_types: list[str]
    description: Optional[str]
    status: str
    created_at: str
    signing_secret: str


class WorkReport(TypedDict):
    ok: Literal[True]
    processed: float
    delivered: float
    failed: float
    retried: float


class OtherEvent(TypedDict):
    id: str
    type: str
    timestamp: str
    channel: ChannelName
    sequence: int
    data: dict[str, Any]


class Introspection(TypedDict):
    active: bool
    client_id: str
    scope: str
    token_type: str
    iss: str
    sub: str
    username: str
    aud: str
    exp: float
    iat: float
    cnf: dict[str, Any]


class DeviceAuthorization(TypedDict):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: float
    interval: float


class UserInfo(TypedDict):
    sub: str
    preferred_username: str
    profile: str
    picture: str
    updated_at: float
    email: str
    email_verified: bool


class KeySet(TypedDict):
    keys: list[dict[str, Any]]


#: What happened in a channel; `type` tells which. More will come: leave a branch for what your program does not know.
FeedEvent = Union[
    LivestreamStartedEvent,
    LivestreamUpdatedEvent,
    LivestreamEndedEvent,
    ChatMessageSentEvent,
    ChatMessageDeletedEvent,
    ModerationBanCreatedEvent,
    ModerationBanRemovedEvent,
    ChannelUpdatedEvent,
]
WebhookEvent = Union[FeedEvent, WebhookTestEvent]

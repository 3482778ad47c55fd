"""The API for asyncio. `client.py` is made from this file: see generate.ts."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Generic, Optional, TypeVar, Union, cast
from urllib.parse import quote

import httpx

from .aio_credentials import AsyncApplicationTokens, AsyncCredentials, AsyncGivenCredential, AsyncUserTokens
from .aio_feed import AsyncFeed
from .errors import ApiError, ConnectionFailed, NotFoundError, UnauthorizedError, error_of
from .types import (
    Ban,
    Category,
    Channel,
    CreatedSubscription,
    CurrentUser,
    FeedEvent,
    ListedMessage,
    Livestream,
    SentMessage,
    Subscription,
)
from .wire import Query, Types, given_in, headers_of, listed, next_in, wait_s_of

_Item = TypeVar("_Item")


class AsyncPages(Generic[_Item]):
    """A list that is longer than one answer: `async for` walks its items and asks for pages as it goes."""

    def __init__(self, api: AsyncDeveloperApi, path: str, query: Query) -> None:
        self._api, self._path, self._query = api, path, query

    async def page(self, cursor: Optional[str] = None) -> tuple[list[_Item], Optional[str]]:
        """The items of one page, and the cursor of the next one."""
        response = await self._api._send("GET", self._path, query={**self._query, "cursor": cursor})
        return cast("list[_Item]", response.json()["data"]), next_in(response, "cursor")

    async def __aiter__(self) -> AsyncIterator[_Item]:
        cursor: Optional[str] = None
        while True:
            items, cursor = await self.page(cursor)
            for item in items:
                yield item
            if cursor is None:
                return


class AsyncDeveloperApi:
    """The API, by a `credential` (an API key, a token, or what gives one), as a `user` whose tokens are refreshed, or as an
    `application` that gets its own. A failed call raises an `ApiError`, or `ConnectionFailed` when nobody answered."""

    def __init__(
        self,
        base_url: str,
        credential: Union[str, Callable[[], Union[str, Awaitable[str]]], None] = None,
        *,
        user: Optional[AsyncUserTokens] = None,
        application: Optional[AsyncApplicationTokens] = None,
        tries: int = 5,
        longest_wait_s: float = 60,
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credentials: AsyncCredentials = user or application or AsyncGivenCredential(credential)
        self._tries, self._longest_wait_s = tries, longest_wait_s
        self._http = http or httpx.AsyncClient(timeout=30)

    async def __aenter__(self) -> AsyncDeveloperApi:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def me(self) -> CurrentUser:
        return cast(CurrentUser, await self._one("GET", "/v1/users/me"))

    async def claims(self) -> dict[str, Any]:
        """The claims of OpenID Connect, with the scope `openid`."""
        return cast("dict[str, Any]", (await self._send("GET", "/oauth/userinfo")).json())

    def list_channels(self, *, limit: Optional[int] = None) -> AsyncPages[Channel]:
        return AsyncPages(self, "/v1/channels/", {"limit": limit})

    async def get_channel(self, slug: str) -> Channel:
        return cast(Channel, await self._one("GET", f"/v1/channels/{quote(slug, safe='')}"))

    def list_categories(self, *, limit: Optional[int] = None) -> AsyncPages[Category]:
        return AsyncPages(self, "/v1/categories/", {"limit": limit})

    async def get_category(self, category_id: str) -> Category:
        return cast(Category, await self._one("GET", f"/v1/categories/{quote(category_id, safe='')}"))

    def list_livestreams(
        self, *, broadcaster_user_id: Optional[str] = None, limit: Optional[int] = None
    ) -> AsyncPages[Livestream]:
        return AsyncPages(self, "/v1/livestreams/", {"broadcaster_user_id": broadcaster_user_id, "limit": limit})

    async def get_livestream(self, livestream_id: str) -> Livestream:
        return cast(Livestream, await self._one("GET", f"/v1/livestreams/{quote(livestream_id, safe='')}"))

    def list_messages(self, room_name: str, *, limit: Optional[int] = None) -> AsyncPages[ListedMessage]:
        return AsyncPages(self, "/v1/chat/messages", {"room_name": room_name, "limit": limit})

    async def send_message(self, room_name: str, content: str, *, idempotency_key: Optional[str] = None) -> SentMessage:
        """Sent again by the same key within 24 hours it is said once: what an event leads to takes a key by the event's `id`."""
        body = {"room_name": room_name, "content": content}
        return cast(SentMessage, await self._one("POST", "/v1/chat/messages", body, idempotency_key))

    async def delete_message(self, message_id: str) -> None:
        await self._send("DELETE", f"/v1/chat/{quote(message_id, safe='')}")

    def list_bans(self, *, limit: Optional[int] = None) -> AsyncPages[Ban]:
        return AsyncPages(self, "/v1/moderation/bans", {"limit": limit})

    async def ban(self, user_id: str, *, idempotency_key: Optional[str] = None) -> Ban:
        return cast(Ban, await self._one("POST", "/v1/moderation/bans", {"user_id": user_id}, idempotency_key))

    def list_subscriptions(self, *, limit: Optional[int] = None) -> AsyncPages[Subscription]:
        return AsyncPages(self, "/v1/events/subscriptions", {"limit": limit})

    async def create_subscription(
        self, url: str, event_types: Types, description: Optional[str] = None, *, idempotency_key: Optional[str] = None
    ) -> CreatedSubscription:
        """`signing_secret` is in this answer and never again."""
        types = [event_types] if isinstance(event_types, str) else list(event_types)
        body = {"url": url, "event_types": types, "description": description}
        return cast(CreatedSubscription, await self._one("POST", "/v1/events/subscriptions", body, idempotency_key))

    async def delete_subscription(self, subscription_id: str) -> None:
        await self._send("DELETE", f"/v1/events/subscriptions/{quote(subscription_id, safe='')}")

    async def read_events(
        self,
        *,
        types: Optional[Types] = None,
        channel: Optional[str] = None,
        after: Optional[str] = None,
        since: Optional[str] = None,
        limit: Optional[int] = None,
        wait: Optional[int] = None,
    ) -> tuple[list[FeedEvent], str]:
        """A page of the feed, and the cursor to go on `after`: a feed has no last page."""
        query: Query = {"types": listed(types), "channel": channel, "after": after, "since": since, "limit": limit, "wait": wait}
        response = await self._send("GET", "/v1/events", query=query)
        return cast("list[FeedEvent]", response.json()["data"]), next_in(response, "after") or ""

    def follow(
        self,
        *,
        types: Optional[Types] = None,
        channel: Optional[str] = None,
        after: Optional[str] = None,
        since: Optional[str] = None,
        on_open: Optional[Callable[[], None]] = None,
        on_lost: Optional[Callable[[Exception], None]] = None,
    ) -> AsyncFeed:
        """What happens, as it happens: `async for event in api.follow(types=["chat.message.sent"])`.

        `on_open` is called each time that the stream is open, `on_lost` with the reason when it could not be opened or was lost: it
        is tried again, however long that takes.
        """
        return AsyncFeed(self, {"types": listed(types), "channel": channel}, after, since, on_open, on_lost)

    async def get_health(self) -> dict[str, Any]:
        return cast("dict[str, Any]", (await self._send("GET", "/health/")).json())

    async def get_readiness(self) -> dict[str, Any]:
        return cast("dict[str, Any]", (await self._send("GET", "/health/ready")).json())

    async def get_metadata(self) -> dict[str, Any]:
        return cast("dict[str, Any]", (await self._send("GET", "/")).json())

    async def _one(
        self, method: str, path: str, body: Optional[dict[str, Any]] = None, key: Optional[str] = None
    ) -> object:
        response = await self._send(method, path, body=body, key=key)
        return response.json()["data"]

    async def _bearer(self, refused: Optional[str] = None) -> Optional[str]:
        return await self._credentials.bearer(self, refused)

    async def _send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[dict[str, Any]] = None,
        key: Optional[str] = None,
    ) -> httpx.Response:
        """Once more with another token, where this one was refused and there is another."""
        bearer = await self._bearer()
        try:
            return await self._try_all(method, path, query=query, body=body, bearer=bearer, key=key)
        except UnauthorizedError:
            other = await self._bearer(bearer)
            if other == bearer:
                raise
            return await self._try_all(method, path, query=query, body=body, bearer=other, key=key)

    async def _try_all(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[dict[str, Any]] = None,
        bearer: Optional[str] = None,
        is_once: bool = False,
        key: Optional[str] = None,
    ) -> httpx.Response:
        """Again after 429, 503 and lost connections; a POST by the same `Idempotency-Key`, so that it is done once.

        `is_once`: nothing is sent again of which nobody knows whether it was done.
        """
        if key is None and method == "POST" and not is_once:
            key = str(uuid.uuid4())
        headers = headers_of(bearer, key)
        is_unanswered = False
        for attempt in range(self._tries):
            failure: Union[ApiError, ConnectionFailed]
            try:
                url = self._base_url + path
                response = await self._http.request(
                    method, url, params=given_in(query), json=body, headers=headers, follow_redirects=False
                )
                if response.is_success:
                    return response
                failure = error_of(response)
                if is_unanswered and method == "DELETE" and isinstance(failure, NotFoundError):
                    return response
            except httpx.TransportError as error:
                failure = ConnectionFailed(f"{self._base_url} did not answer.")
                failure.__cause__ = error
                is_unanswered = True
            wait_s = wait_s_of(failure, attempt, is_once)
            if attempt + 1 == self._tries or wait_s is None or wait_s > self._longest_wait_s:
                raise failure
            await asyncio.sleep(wait_s)
        raise ConnectionFailed("There was no try.")

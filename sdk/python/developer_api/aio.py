"""The API for asyncio. `client.py` is made from this file: see generate.ts."""

from __future__ import annotations

import asyncio
import json
import random
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Generic, Optional, TypeVar, Union, cast
from urllib.parse import parse_qs, quote, urlsplit

import httpx

from .errors import ApiError, ConnectionFailed, LoginRequiredError, NotFoundError, UnauthorizedError, error_of
from .tokens import Application, Tokens, as_client, tokens_in
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

_Item = TypeVar("_Item")
_SOON_S = 60
_SILENT_S = 40
_KNOWN_MAX = 10_000
_Query = dict[str, Union[str, int, None]]


class AsyncPages(Generic[_Item]):
    """A list that is longer than one answer: `async for` walks its items and asks for pages as it goes."""

    def __init__(self, api: AsyncDeveloperApi, path: str, query: _Query) -> None:
        self._api, self._path, self._query = api, path, query

    async def page(self, cursor: Optional[str] = None) -> tuple[list[_Item], Optional[str]]:
        """The items of one page, and the cursor of the next one."""
        query = {**self._query, "cursor": cursor or self._query.get("cursor")}
        response = await self._api._send("GET", self._path, query=query)
        return cast("list[_Item]", response.json()["data"]), _next_in(response, "cursor")

    async def __aiter__(self) -> AsyncIterator[_Item]:
        cursor: Optional[str] = None
        while True:
            items, cursor = await self.page(cursor)
            for item in items:
                yield item
            if cursor is None:
                return


class AsyncUserTokens:
    """A user's tokens, refreshed before they end, by one at a time.

    `on_tokens` keeps new ones and is waited for before they are used: a refresh token is used up by its refresh. Where it fails,
    the old ones are good for another minute.
    """

    def __init__(
        self, application: Application, tokens: Tokens, on_tokens: Callable[[Tokens], Optional[Awaitable[None]]]
    ) -> None:
        self._application, self._tokens, self._on_tokens = application, tokens, on_tokens
        self._lock = asyncio.Lock()

    async def bearer(self, api: AsyncDeveloperApi, refused: Optional[str] = None) -> str:
        async with self._lock:
            is_ending = self._tokens.expires_at - time.time() < _SOON_S
            if self._tokens.refresh_token and (is_ending or self._tokens.access_token == refused):
                await self._refresh(api)
            return self._tokens.access_token

    async def _refresh(self, api: AsyncDeveloperApi) -> None:
        given = {"grant_type": "refresh_token", "refresh_token": self._tokens.refresh_token}
        try:
            response = await api._try_all("POST", "/oauth/token", body={**given, **as_client(self._application)})
        except ApiError as error:
            if error.code != "invalid_grant":
                raise
            raise LoginRequiredError(error.code, str(error), error.status, error.request_id) from error
        tokens = tokens_in(response.json(), self._tokens.refresh_token)
        kept = self._on_tokens(tokens)
        if kept is not None:
            await kept
        self._tokens = tokens


class AsyncDeveloperApi:
    """The API, by a credential (an API key or a token), or as a user whose tokens are refreshed."""

    def __init__(
        self,
        base_url: str,
        credential: Optional[str] = None,
        *,
        user: Optional[AsyncUserTokens] = None,
        tries: int = 5,
        longest_wait_s: float = 60,
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credential, self._user = credential, user
        self._tries, self._longest_wait_s = tries, longest_wait_s
        self._http = http or httpx.AsyncClient(timeout=30)

    async def __aenter__(self) -> AsyncDeveloperApi:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def me(self) -> CurrentUser:
        return cast(CurrentUser, await self._one("GET", "/v1/users/me"))

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

    async def send_message(self, room_name: str, content: str) -> SentMessage:
        body = {"room_name": room_name, "content": content}
        return cast(SentMessage, await self._one("POST", "/v1/chat/messages", body))

    async def delete_message(self, message_id: str) -> None:
        await self._send("DELETE", f"/v1/chat/{quote(message_id, safe='')}")

    def list_bans(self, *, limit: Optional[int] = None) -> AsyncPages[Ban]:
        return AsyncPages(self, "/v1/moderation/bans", {"limit": limit})

    async def ban(self, user_id: str) -> Ban:
        return cast(Ban, await self._one("POST", "/v1/moderation/bans", {"user_id": user_id}))

    def list_subscriptions(self, *, limit: Optional[int] = None) -> AsyncPages[Subscription]:
        return AsyncPages(self, "/v1/events/subscriptions", {"limit": limit})

    async def create_subscription(
        self, url: str, event_types: Sequence[str], description: Optional[str] = None
    ) -> CreatedSubscription:
        """`signing_secret` is in this answer and never again."""
        body = {"url": url, "event_types": list(event_types), "description": description}
        return cast(CreatedSubscription, await self._one("POST", "/v1/events/subscriptions", body))

    async def delete_subscription(self, subscription_id: str) -> None:
        await self._send("DELETE", f"/v1/events/subscriptions/{quote(subscription_id, safe='')}")

    async def read_events(self, **query: Union[str, int]) -> tuple[list[FeedEvent], str]:
        """A page of the feed, and the cursor to go on `after`: a feed has no last page."""
        response = await self._send("GET", "/v1/events", query=dict(query))
        return cast("list[FeedEvent]", response.json()["data"]), _next_in(response, "after") or ""

    def follow(
        self,
        *,
        types: Optional[Sequence[str]] = None,
        channel: Optional[str] = None,
        after: Optional[str] = None,
        since: Optional[str] = None,
        on_open: Optional[Callable[[], None]] = None,
    ) -> AsyncFeed:
        return AsyncFeed(self, {"types": ",".join(types) if types else None, "channel": channel}, after, since, on_open)

    async def _one(self, method: str, path: str, body: Optional[dict[str, Any]] = None) -> object:
        response = await self._send(method, path, body=body)
        return response.json()["data"]

    async def _bearer(self, refused: Optional[str] = None) -> Optional[str]:
        return await self._user.bearer(self, refused) if self._user else self._credential

    async def _send(
        self, method: str, path: str, *, query: Optional[_Query] = None, body: Optional[dict[str, Any]] = None
    ) -> httpx.Response:
        """Once more with another token, where this one was refused and there is another."""
        bearer = await self._bearer()
        try:
            return await self._try_all(method, path, query=query, body=body, bearer=bearer)
        except UnauthorizedError:
            other = await self._bearer(bearer)
            if other == bearer:
                raise
            return await self._try_all(method, path, query=query, body=body, bearer=other)

    async def _try_all(
        self,
        method: str,
        path: str,
        *,
        query: Optional[_Query] = None,
        body: Optional[dict[str, Any]] = None,
        bearer: Optional[str] = None,
    ) -> httpx.Response:
        """Again after 429, 503 and lost connections; a POST by the same `Idempotency-Key`, so that it is done once."""
        headers = _headers(bearer, str(uuid.uuid4()) if method == "POST" else None)
        params = {name: value for name, value in (query or {}).items() if value is not None}
        is_unanswered = False
        for attempt in range(self._tries):
            failure: Union[ApiError, ConnectionFailed]
            try:
                url = self._base_url + path
                response = await self._http.request(
                    method, url, params=params, json=body, headers=headers, follow_redirects=False
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
            wait_s = _wait_of(failure, attempt)
            if attempt + 1 == self._tries or wait_s is None or wait_s > self._longest_wait_s:
                raise failure
            await asyncio.sleep(wait_s)
        raise ConnectionFailed("There was no try.")


class AsyncFeed:
    """The feed as something to iterate over: cut off, it goes on where it was; no event is missing, and none comes twice."""

    def __init__(
        self,
        api: AsyncDeveloperApi,
        query: _Query,
        after: Optional[str],
        since: Optional[str],
        on_open: Optional[Callable[[], None]],
    ) -> None:
        self._api, self._query, self._since, self._on_open = api, query, since, on_open
        self._known: dict[str, None] = {}
        self._failures = 0
        #: Goes on behind the event that the loop is at. Keep it when the work for that event is done.
        self.cursor = after

    async def __aiter__(self) -> AsyncIterator[FeedEvent]:
        while True:
            if self._failures > 0:
                await asyncio.sleep(_backoff(self._failures - 1))
            self._failures += 1  # until something is heard
            bearer = await self._api._bearer()
            place = {"after": self.cursor} if self.cursor else {"since": self._since}
            params = {name: value for name, value in {**self._query, **place}.items() if value is not None}
            headers = {**_headers(bearer, None), "accept": "text/event-stream"}
            try:
                url = self._api._base_url + "/v1/events"
                timeout = httpx.Timeout(30, read=_SILENT_S)
                async with self._api._http.stream(
                    "GET", url, params=params, headers=headers, timeout=timeout, follow_redirects=False
                ) as response:
                    if not response.is_success:
                        await response.aread()
                        await self._refused(error_of(response), bearer)
                        continue
                    if self._on_open:
                        self._on_open()
                    part: dict[str, str] = {}
                    async for line in response.aiter_lines():
                        line = line.rstrip("\r\n")
                        if line:
                            name, _, value = line.partition(":")
                            part[name] = value.removeprefix(" ")
                            continue
                        event, is_over = self._event_in(part)
                        part = {}
                        if is_over:
                            break
                        if event is not None:
                            yield event
            except httpx.TransportError:
                pass  # lost, or silent

    def _event_in(self, part: dict[str, str]) -> tuple[Optional[FeedEvent], bool]:
        self._failures = 0
        if part.get("event") == "end":
            return None, True
        if part.get("id"):
            self.cursor = part["id"]
        if part.get("event") == "progress" or not part.get("data"):
            return None, False
        event: FeedEvent = json.loads(part["data"])
        if event["id"] in self._known:
            return None, False
        self._known[event["id"]] = None
        if len(self._known) > _KNOWN_MAX:
            del self._known[next(iter(self._known))]
        return event, False

    async def _refused(self, error: ApiError, bearer: Optional[str]) -> None:
        """Waits where that helps, and raises the refusal where not."""
        is_renewed = error.status == 401 and self._failures < 3 and await self._api._bearer(bearer) != bearer
        if not is_renewed and error.status != 429 and error.status < 500:
            raise error
        if error.retry_after_s is not None:
            await asyncio.sleep(error.retry_after_s)


def _headers(bearer: Optional[str], key: Optional[str]) -> dict[str, str]:
    headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
    return {**headers, "idempotency-key": key} if key else headers


def _next_in(response: httpx.Response, parameter: str) -> Optional[str]:
    link = response.links.get("next")
    values = parse_qs(urlsplit(link["url"]).query).get(parameter) if link else None
    return values[0] if values else None


def _backoff(attempt: int) -> float:
    longest = min(30.0, 0.5 * 2**attempt)
    return longest / 2 + random.random() * longest / 2


def _wait_of(failure: Union[ApiError, ConnectionFailed], attempt: int) -> Optional[float]:
    """How long to wait before another try; None where that does not help."""
    if isinstance(failure, ConnectionFailed):
        return _backoff(attempt)
    if failure.status not in (429, 502, 503, 504):
        return None
    return failure.retry_after_s if failure.retry_after_s is not None else _backoff(attempt)

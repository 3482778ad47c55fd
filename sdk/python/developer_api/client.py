"""The API. Made by generate.ts."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Generic, Optional, TypeVar, Union, cast
from urllib.parse import quote

import httpx

from .credentials import ApplicationTokens, Credentials, GivenCredential, UserTokens
from .feed import Feed
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


class Pages(Generic[_Item]):
    """A list that is longer than one answer: `for` walks its items and asks for pages as it goes."""

    def __init__(self, api: DeveloperApi, path: str, query: Query) -> None:
        self._api, self._path, self._query = api, path, query

    def page(self, cursor: Optional[str] = None) -> tuple[list[_Item], Optional[str]]:
        """The items of one page, and the cursor of the next one."""
        response = self._api._send("GET", self._path, query={**self._query, "cursor": cursor})
        return cast("list[_Item]", response.json()["data"]), next_in(response, "cursor")

    def __iter__(self) -> Iterator[_Item]:
        cursor: Optional[str] = None
        while True:
            items, cursor = self.page(cursor)
            for item in items:
                yield item
            if cursor is None:
                return


class DeveloperApi:
    """The API, by a `credential` (an API key, a token, or what gives one), as a `user` whose tokens are refreshed, or as an
    `application` that gets its own. A failed call raises an `ApiError`, or `ConnectionFailed` when nobody answered."""

    def __init__(
        self,
        base_url: str,
        credential: Union[str, Callable[[], str], None] = None,
        *,
        user: Optional[UserTokens] = None,
        application: Optional[ApplicationTokens] = None,
        tries: int = 5,
        longest_wait_s: float = 60,
        http: Optional[httpx.Client] = None,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credentials: Credentials = user or application or GivenCredential(credential)
        self._tries, self._longest_wait_s = tries, longest_wait_s
        self._http = http or httpx.Client(timeout=30)

    def __enter__(self) -> DeveloperApi:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def me(self) -> CurrentUser:
        return cast(CurrentUser, self._one("GET", "/v1/users/me"))

    def claims(self) -> dict[str, Any]:
        """The claims of OpenID Connect, with the scope `openid`."""
        return cast("dict[str, Any]", (self._send("GET", "/oauth/userinfo")).json())

    def list_channels(self, *, limit: Optional[int] = None) -> Pages[Channel]:
        return Pages(self, "/v1/channels/", {"limit": limit})

    def get_channel(self, slug: str) -> Channel:
        return cast(Channel, self._one("GET", f"/v1/channels/{quote(slug, safe='')}"))

    def list_categories(self, *, limit: Optional[int] = None) -> Pages[Category]:
        return Pages(self, "/v1/categories/", {"limit": limit})

    def get_category(self, category_id: str) -> Category:
        return cast(Category, self._one("GET", f"/v1/categories/{quote(category_id, safe='')}"))

    def list_livestreams(
        self, *, broadcaster_user_id: Optional[str] = None, limit: Optional[int] = None
    ) -> Pages[Livestream]:
        return Pages(self, "/v1/livestreams/", {"broadcaster_user_id": broadcaster_user_id, "limit": limit})

    def get_livestream(self, livestream_id: str) -> Livestream:
        return cast(Livestream, self._one("GET", f"/v1/livestreams/{quote(livestream_id, safe='')}"))

    def list_messages(self, room_name: str, *, limit: Optional[int] = None) -> Pages[ListedMessage]:
        return Pages(self, "/v1/chat/messages", {"room_name": room_name, "limit": limit})

    def send_message(self, room_name: str, content: str, *, idempotency_key: Optional[str] = None) -> SentMessage:
        """Sent again by the same key within 24 hours it is said once: what an event leads to takes a key by the event's `id`."""
        body = {"room_name": room_name, "content": content}
        return cast(SentMessage, self._one("POST", "/v1/chat/messages", body, idempotency_key))

    def delete_message(self, message_id: str) -> None:
        self._send("DELETE", f"/v1/chat/{quote(message_id, safe='')}")

    def list_bans(self, *, limit: Optional[int] = None) -> Pages[Ban]:
        return Pages(self, "/v1/moderation/bans", {"limit": limit})

    def ban(self, user_id: str, *, idempotency_key: Optional[str] = None) -> Ban:
        return cast(Ban, self._one("POST", "/v1/moderation/bans", {"user_id": user_id}, idempotency_key))

    def list_subscriptions(self, *, limit: Optional[int] = None) -> Pages[Subscription]:
        return Pages(self, "/v1/events/subscriptions", {"limit": limit})

    def create_subscription(
        self, url: str, event_types: Types, description: Optional[str] = None, *, idempotency_key: Optional[str] = None
    ) -> CreatedSubscription:
        """`signing_secret` is in this answer and never again."""
        types = [event_types] if isinstance(event_types, str) else list(event_types)
        body = {"url": url, "event_types": types, "description": description}
        return cast(CreatedSubscription, self._one("POST", "/v1/events/subscriptions", body, idempotency_key))

    def delete_subscription(self, subscription_id: str) -> None:
        self._send("DELETE", f"/v1/events/subscriptions/{quote(subscription_id, safe='')}")

    def read_events(
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
        response = self._send("GET", "/v1/events", query=query)
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
    ) -> Feed:
        """What happens, as it happens: `for event in api.follow(types=["chat.message.sent"])`.

        `on_open` is called each time that the stream is open, `on_lost` with the reason when it could not be opened or was lost: it
        is tried again, however long that takes.
        """
        return Feed(self, {"types": listed(types), "channel": channel}, after, since, on_open, on_lost)

    def get_health(self) -> dict[str, Any]:
        return cast("dict[str, Any]", (self._send("GET", "/health/")).json())

    def get_readiness(self) -> dict[str, Any]:
        return cast("dict[str, Any]", (self._send("GET", "/health/ready")).json())

    def get_metadata(self) -> dict[str, Any]:
        return cast("dict[str, Any]", (self._send("GET", "/")).json())

    def _one(
        self, method: str, path: str, body: Optional[dict[str, Any]] = None, key: Optional[str] = None
    ) -> object:
        response = self._send(method, path, body=body, key=key)
        return response.json()["data"]

    def _bearer(self, refused: Optional[str] = None) -> Optional[str]:
        return self._credentials.bearer(self, refused)

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Optional[dict[str, Any]] = None,
        key: Optional[str] = None,
    ) -> httpx.Response:
        """Once more with another token, where this one was refused and there is another."""
        bearer = self._bearer()
        try:
            return self._try_all(method, path, query=query, body=body, bearer=bearer, key=key)
        except UnauthorizedError:
            other = self._bearer(bearer)
            if other == bearer:
                raise
            return self._try_all(method, path, query=query, body=body, bearer=other, key=key)

    def _try_all(
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
                response = self._http.request(
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
            time.sleep(wait_s)
        raise ConnectionFailed("There was no try.")

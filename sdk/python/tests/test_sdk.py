"""Run by test/sdk/python.process.ts against a service: DEMO is its demo.json."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import os
import re
import threading
import time
import unittest

import httpx
from developer_api import (
    ApiError,
    Application,
    ApplicationTokens,
    AsyncApplicationTokens,
    AsyncDeveloperApi,
    AsyncLogin,
    AsyncUserTokens,
    ConnectionFailed,
    DeveloperApi,
    ForbiddenError,
    Login,
    LoginRequiredError,
    NotFoundError,
    PendingLogin,
    RateLimitedError,
    SignatureError,
    Tokens,
    UserTokens,
    unwrap,
)
from developer_api.feed import _lines_of

with open(os.environ["DEMO"]) as file:
    demo = json.load(file)
API = demo["base_url"]
STREAMER = demo["users"]["streamer"]
APPLICATION = Application(demo["client"]["client_id"], demo["client"]["client_secret"])


def documented() -> set[str]:
    """What both documents have, but for what is the operator's."""
    found = set()
    for document in ("/openapi.json", "/openapi.extensions.json"):
        for path, methods in httpx.get(API + document).json()["paths"].items():
            found |= {f"{method.upper()} {path}" for method, one in methods.items() if "Internal" not in one.get("tags", [])}
    return found


class Listening(httpx.Client):
    """Knows what was called, as `METHOD /path/{parameter}` of the documents."""

    def __init__(self) -> None:
        super().__init__(timeout=30, event_hooks={"request": [self.note]})
        self.operations, self.called = documented(), set()

    def note(self, request: httpx.Request) -> None:
        asked = f"{request.method} {request.url.path}"
        for operation in self.operations:
            if re.fullmatch(re.sub(r"{\w+}", "[^/]+", operation), asked):
                self.called |= {operation} if asked not in self.operations or asked == operation else set()


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.api = DeveloperApi(API, STREAMER["access_token"])

    def test_calls_every_operation(self) -> None:
        http = Listening()
        api = DeveloperApi(API, lambda: STREAMER["access_token"], http=http)
        self.assertEqual(api.me()["username"], "streamer")
        self.assertTrue(api.get_channel("streamer")["is_live"])
        self.assertIn("streamer", [one["username"] for one in api.list_channels()])
        category = next(iter(api.list_categories()))
        self.assertEqual(api.get_category(category["id"])["slug"], category["slug"])
        stream = next(iter(api.list_livestreams(broadcaster_user_id=STREAMER["id"])))
        self.assertEqual(api.get_livestream(stream["id"])["id"], stream["id"])
        message = api.send_message("streamer", "from Python")
        self.assertIn(message["id"], [one["id"] for one in api.list_messages("streamer", limit=5).page()[0]])
        api.delete_message(message["id"])
        before = {ban["id"] for ban in api.list_bans()}
        self.assertNotIn(api.ban(demo["users"]["outsider"]["id"])["id"], before)
        made = api.create_subscription("https://example.com/hook", ["chat.message.sent"])
        self.assertTrue(made["signing_secret"].startswith("whsec_"))
        self.assertIn(made["id"], [one["id"] for one in api.list_subscriptions()])
        api.delete_subscription(made["id"])
        for types in ("chat.message.sent", ["chat.message.sent"]):
            events, cursor = api.read_events(since=message["created_at"], types=types)
            self.assertEqual(events[0]["data"]["content"], "from Python")
            self.assertEqual(api.read_events(after=cursor, types=types)[0], [])
        with self.assertRaises(ForbiddenError):
            api.claims()  # wants the scope openid
        for answer in (api.get_health(), api.get_readiness(), api.get_metadata()):
            self.assertTrue(answer)
        own = DeveloperApi(API, application=ApplicationTokens(APPLICATION, "channel:read"), http=http)
        self.assertEqual(own.get_channel("streamer")["username"], "streamer")
        login = Login(API, APPLICATION, http=http)
        login.revoke("nothing")
        self.assertEqual(login.introspect("nothing"), {"active": False})

        def leave(*_: object) -> None:
            raise InterruptedError

        with self.assertRaises(InterruptedError):
            login.with_device(["user:read"], leave)
        # another form of a call, and what libraries of OpenID Connect read
        self.assertEqual(http.operations - http.called, {"POST /oauth/userinfo", "GET /oauth/jwks"})

    def test_walks_lists(self) -> None:
        walked = [channel["username"] for channel in self.api.list_channels(limit=2)]
        self.assertGreater(len(walked), 2)
        self.assertEqual(walked, sorted(set(walked)))

    def test_errors_have_a_class_a_code_and_a_number(self) -> None:
        with self.assertRaises(NotFoundError) as caught:
            self.api.get_channel("nobody_is_here")
        self.assertEqual((caught.exception.code, caught.exception.status), ("channel_not_found", 404))
        self.assertTrue(caught.exception.request_id)
        with self.assertRaises(ForbiddenError):
            DeveloperApi(API, demo["api_key"]).me()

    def test_follows_the_feed_and_goes_on(self) -> None:
        heard, opened = [], threading.Event()
        feed = self.api.follow(types=["chat.message.sent"], on_open=opened.set)

        def follow() -> None:
            for event in feed:
                heard.append(event["data"]["content"])
                if len(heard) == 2:
                    return

        thread = threading.Thread(target=follow)
        thread.start()
        opened.wait(20)
        for content in ("one", "two"):
            self.api.send_message("streamer", content)
        thread.join(20)
        self.assertEqual(heard, ["one", "two"])
        self.api.send_message("streamer", "three")
        self.assertEqual(next(iter(self.api.follow(after=feed.cursor, types=["chat.message.sent"])))["data"]["content"], "three")


class Lines(unittest.TestCase):
    def test_end_at_line_feeds_alone(self) -> None:
        data = 'data: {"content":"x\u2028id: y\u2029event: end\u0085data: z"}'
        parts = [bytes([one]) for one in f"id: one\r\n{data}\n\n:\n\n".encode()]
        self.assertEqual(list(_lines_of(httpx.Response(200, content=parts))), ["id: one", data, "", ":", ""])


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_calls_walks_and_follows(self) -> None:
        async with AsyncDeveloperApi(API, STREAMER["access_token"]) as api:
            self.assertEqual((await api.me())["username"], "streamer")
            self.assertGreater(len([one async for one in api.list_channels(limit=2)]), 2)
            opened = asyncio.Event()
            feed = api.follow(types=["chat.message.sent"], on_open=opened.set)
            first = asyncio.ensure_future(feed.__aiter__().__anext__())
            await opened.wait()
            await api.send_message("streamer", "to asyncio")
            self.assertEqual((await asyncio.wait_for(first, 20))["data"]["content"], "to asyncio")

    async def test_refreshes_once_for_many(self) -> None:
        kept: list[Tokens] = []
        old = Tokens(STREAMER["access_token"], os.environ["ASYNC_REFRESH_TOKEN"], "", time.time())
        async with AsyncDeveloperApi(API, user=AsyncUserTokens(APPLICATION, old, kept.append)) as api:
            names = await asyncio.gather(*(api.me() for _ in range(10)))
        self.assertEqual({name["username"] for name in names}, {"viewer"})
        self.assertEqual(len(kept), 1)


    async def test_is_an_application_by_itself_and_logs_people_in(self) -> None:
        async with AsyncDeveloperApi(API, application=AsyncApplicationTokens(APPLICATION, "channel:read")) as api:
            names = await asyncio.gather(*(api.get_channel("streamer") for _ in range(5)))
        self.assertEqual({name["username"] for name in names}, {"streamer"})
        login = AsyncLogin(API, APPLICATION)
        url, pending = login.begin("http://127.0.0.1/callback", ["user:read"])
        self.assertIn(pending.state, url)
        self.assertEqual(await login.introspect("nothing"), {"active": False})


class Refreshing(unittest.TestCase):
    def test_keeps_new_tokens_before_they_are_used_for_a_month(self) -> None:
        kept: list[Tokens] = []
        tokens = Tokens("lsat_old", STREAMER["refresh_token"], "", time.time())
        for _ in range(30):
            user = UserTokens(APPLICATION, tokens, kept.append)
            with DeveloperApi(API, user=user) as api:
                self.assertEqual(api.me()["username"], "streamer")
            tokens = Tokens(kept[-1].access_token, kept[-1].refresh_token, kept[-1].scope, time.time())
        self.assertEqual(len({one.refresh_token for one in kept}), 30)

    def test_takes_what_another_process_has_refreshed_under_their_lock(self) -> None:
        asked: list[str] = []

        def handle(request: httpx.Request) -> httpx.Response:
            if request.url.path == "/oauth/token":
                asked.append(json.loads(request.content)["refresh_token"])
                tokens = {"access_token": f"new{len(asked)}", "refresh_token": "next", "scope": "", "expires_in": 3_600}
                return httpx.Response(200, json=tokens)
            return httpx.Response(200, json={"data": {"username": request.headers["authorization"]}})

        class Shared(contextlib.AbstractContextManager[None]):
            entered = 0

            def __exit__(self, *_: object) -> None:
                Shared.entered += 1

        kept = [Tokens("old", "first", "", 0)]
        for _ in range(3):
            user = UserTokens(APPLICATION, lambda: kept[-1], kept.append, lock=Shared())
            user._known = kept[0]  # read before another one has refreshed them
            http = httpx.Client(transport=httpx.MockTransport(handle))
            self.assertEqual(DeveloperApi("http://api", user=user, http=http).me()["username"], "Bearer new1")
        self.assertEqual((asked, Shared.entered), (["first"], 3))

    def test_asks_for_a_login_when_tokens_are_gone(self) -> None:
        user = UserTokens(APPLICATION, Tokens("lsat_old", "lsrt_gone", "", 0), lambda _: None)
        with self.assertRaises(LoginRequiredError):
            DeveloperApi(API, user=user).me()


class Retries(unittest.TestCase):
    def answers(self, *answers: object) -> tuple[DeveloperApi, list[httpx.Request]]:
        sent: list[httpx.Request] = []
        left = list(answers)

        def handle(request: httpx.Request) -> httpx.Response:
            sent.append(request)
            answer = left.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return DeveloperApi("http://api", "x", http=httpx.Client(transport=httpx.MockTransport(handle))), sent

    def later(self, status: int, retry_after: str) -> httpx.Response:
        body = {"error": {"code": "rate_limited", "message": "Later."}}
        return httpx.Response(status, headers={"retry-after": retry_after}, json=body)

    def test_again_by_the_same_key(self) -> None:
        done = httpx.Response(201, json={"data": {"id": "msg"}})
        api, sent = self.answers(self.later(503, "0"), self.later(429, "0"), httpx.ReadError("lost"), done)
        self.assertEqual(api.send_message("ada", "once")["id"], "msg")
        self.assertEqual(len({request.headers["idempotency-key"] for request in sent}), 1)
        self.assertEqual(len(sent), 4)

    def test_by_a_key_that_was_given(self) -> None:
        done = [httpx.Response(201, json={"data": {"id": "msg"}}) for _ in range(4)]
        api, sent = self.answers(done[0], done[1], self.later(503, "0"), done[2], done[3])
        api.send_message("ada", "pong", idempotency_key="evt_1")
        api.ban("usr", idempotency_key="evt_2")
        api.create_subscription("https://example.com", "chat.message.sent", idempotency_key="evt_3")
        api.send_message("ada", "an empty one is for the service to refuse", idempotency_key="")
        keys = [request.headers["idempotency-key"] for request in sent]
        self.assertEqual(keys, ["evt_1", "evt_2", "evt_3", "evt_3", ""])

    def test_gives_up(self) -> None:
        with self.assertRaises(RateLimitedError) as caught:
            self.answers(self.later(429, "61"))[0].get_channel("ada")
        self.assertEqual(caught.exception.retry_after_s, 61)
        api, sent = self.answers(*[httpx.ConnectError("no")] * 5)
        api._tries = 2
        with self.assertRaises(ConnectionFailed):
            api.get_channel("ada")
        self.assertEqual(len(sent), 2)

    def test_a_deletion_whose_answer_was_lost_has_succeeded(self) -> None:
        gone = httpx.Response(404, json={"error": {"code": "message_not_found", "message": "Gone."}})
        self.answers(httpx.ReadError("lost"), gone)[0].delete_message("msg")


class Lost(unittest.TestCase):
    def test_says_why_the_feed_could_not_be_opened_and_goes_on(self) -> None:
        event = {"id": "evt", "type": "chat.message.sent", "data": {"content": "heard"}}
        refused = httpx.Response(503, headers={"retry-after": "0"}, json={"error": {"code": "unavailable", "message": "Later."}})
        stream = httpx.Response(200, text=f"id: one\n\nid: two\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n")
        answers: list[object] = [httpx.ConnectError("no"), refused, stream]

        def handle(_: httpx.Request) -> httpx.Response:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        api = DeveloperApi("http://api", "x", http=httpx.Client(transport=httpx.MockTransport(handle)))
        told: list[Exception] = []
        feed = api.follow(types="chat.message.sent", on_lost=told.append)
        self.assertEqual(next(iter(feed))["data"]["content"], "heard")
        self.assertEqual((feed.cursor, [type(one).__name__ for one in told]), ("two", ["ConnectionFailed", "ServerError"]))
        self.assertIn("http://api did not answer", str(told[0]))


    def refreshing(self, expires_at: float, refreshes: list[object], feed: list[object]) -> tuple[DeveloperApi, list[Tokens]]:
        """A person's tokens, and what their refreshes and the feed come to before they succeed."""
        event = {"id": "evt", "type": "chat.message.sent", "data": {"content": "heard"}}
        stream = httpx.Response(200, text=f"id: two\nevent: {event['type']}\ndata: {json.dumps(event)}\n\n")
        fresh = {"access_token": "fresh", "refresh_token": "next", "scope": "", "expires_in": 3_600}

        def handle(request: httpx.Request) -> httpx.Response:
            if request.url.path == "/oauth/token":
                answer = refreshes.pop(0) if refreshes else httpx.Response(200, json=fresh)
            elif feed:
                answer = feed.pop(0)
            else:
                is_fresh = request.headers["authorization"] == "Bearer fresh"
                answer = stream if is_fresh else httpx.Response(401, json={"error": {"code": "unauthenticated"}})
            if isinstance(answer, Exception):
                raise answer
            assert isinstance(answer, httpx.Response)
            return answer

        kept: list[Tokens] = []
        user = UserTokens(APPLICATION, Tokens("ended", "first", "", expires_at), kept.append)
        http = httpx.Client(transport=httpx.MockTransport(handle))
        return DeveloperApi("http://api", user=user, tries=1, http=http), kept

    def test_goes_on_when_nobody_answers_a_refresh(self) -> None:
        for expires_at in (0.0, time.time() + 3_600):
            busy = httpx.Response(503, headers={"retry-after": "0"}, json={"error": {"code": "unavailable", "message": "Later."}})
            api, kept = self.refreshing(expires_at, [httpx.ConnectError("no"), busy], [])
            told: list[str] = []
            feed = api.follow(on_lost=lambda error: told.append(type(error).__name__))
            with self.subTest(expires_at):
                self.assertEqual(next(iter(feed))["data"]["content"], "heard")
                self.assertEqual((told, kept[0].access_token), (["ConnectionFailed", "ServerError"], "fresh"))

    def test_refreshes_a_token_that_was_refused_however_long_nobody_answered_before(self) -> None:
        api, kept = self.refreshing(time.time() + 3_600, [], [httpx.ConnectError("no")] * 4)
        self.assertEqual(next(iter(api.follow()))["data"]["content"], "heard")
        self.assertEqual(len(kept), 1)

    def test_raises_what_waiting_does_not_help_in_a_refresh(self) -> None:
        gone = httpx.Response(400, json={"error": {"code": "invalid_grant", "message": "Gone."}})
        with self.assertRaises(LoginRequiredError):
            next(iter(self.refreshing(0, [gone], [])[0].follow()))


class Logins(unittest.TestCase):
    """A person who logs in on another device, while the network does what networks do."""

    def login(self, *answers: object) -> tuple[Login, list[str]]:
        sent: list[str] = []
        left = list(answers)

        def handle(request: httpx.Request) -> httpx.Response:
            sent.append(request.url.path)
            answer = left.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return Login("http://api", APPLICATION, http=httpx.Client(transport=httpx.MockTransport(handle))), sent

    def refusal(self, code: str) -> httpx.Response:
        return httpx.Response(400, json={"error": {"code": code, "message": "Not yet."}})

    def test_waits_until_the_code_was_typed_over_lost_connections(self) -> None:
        device = {"device_code": "secret", "user_code": "ABCD", "verification_uri": "http://api/device", "expires_in": 600}
        tokens = {"access_token": "a", "refresh_token": "r", "scope": "user:read", "expires_in": 3_600}
        pending = self.refusal("authorization_pending")
        busy = httpx.Response(503, headers={"retry-after": "0"}, json={})
        given = httpx.Response(200, json={**device, "interval": 0})
        login, sent = self.login(given, pending, httpx.ReadError("lost"), busy, httpx.Response(200, json=tokens))
        shown: list[str] = []
        self.assertEqual(login.with_device(["user:read"], lambda *told: shown.extend(told)).access_token, "a")
        self.assertEqual((shown, len(sent)), (["http://api/device", "ABCD"], 5))

    def test_ends_when_the_person_refuses(self) -> None:
        device = {"device_code": "secret", "user_code": "ABCD", "verification_uri": "x", "expires_in": 600, "interval": 0}
        login, _ = self.login(httpx.Response(200, json=device), self.refusal("access_denied"))
        with self.assertRaises(ApiError) as caught:
            login.with_device([], lambda *_: None)
        self.assertEqual(caught.exception.code, "access_denied")

    def test_sends_a_code_once_and_says_that_nobody_answered(self) -> None:
        login, sent = self.login(httpx.ReadError("lost"))
        back = "http://127.0.0.1/callback?code=x&state=state&iss=http%3A%2F%2Fapi"
        with self.assertRaises(ConnectionFailed):
            login.finish(back, PendingLogin("state", "verifier", "http://127.0.0.1/callback"))
        self.assertEqual(len(sent), 1)


class Elsewhere(unittest.TestCase):
    """Nothing follows a redirect, also by a client that would."""

    application = Application("cli_x", "secret")
    pending = PendingLogin("state", "verifier", "http://127.0.0.1/callback")

    def wire(self) -> tuple[httpx.Client, list[str]]:
        asked: list[str] = []

        def handle(request: httpx.Request) -> httpx.Response:
            asked.append(request.url.host)
            return httpx.Response(307, headers={"location": "http://evil" + request.url.path})

        return httpx.Client(transport=httpx.MockTransport(handle), follow_redirects=True), asked

    def test_secrets_and_bodies_go_nowhere_else(self) -> None:
        http, asked = self.wire()
        login, api = Login("http://api", self.application, http=http), DeveloperApi("http://api", "key", http=http)
        back = f"{self.pending.redirect_uri}?code=x&state=state&iss=http%3A%2F%2Fapi"
        for call in (
            lambda: login.finish(back, self.pending),
            lambda: login.revoke("token"),
            lambda: api.send_message("ada", "hello"),
            lambda: api.get_channel("ada"),
            lambda: next(iter(api.follow())),
        ):
            with self.assertRaises(ApiError) as caught:
                call()
            self.assertEqual(caught.exception.code, "redirected")
        self.assertEqual(set(asked), {"api"})
        self.assertEqual(len(asked), 5)

    def test_answers_say_whose_they_are(self) -> None:
        http, asked = self.wire()
        login = Login("http://api", self.application, http=http)
        for query, code in (
            ("code=x&state=state", "invalid_issuer"),
            ("code=x&state=state&iss=", "invalid_issuer"),
            ("code=x&state=state&iss=http%3A%2F%2Fevil", "invalid_issuer"),
            ("error=access_denied&state=state", "invalid_issuer"),
            ("code=x&state=%C3%A9&iss=http%3A%2F%2Fapi", "invalid_state"),
            ("code=x&iss=http%3A%2F%2Fapi", "invalid_state"),
        ):
            with self.subTest(query), self.assertRaises(ApiError) as caught:
                login.finish(f"{self.pending.redirect_uri}?{query}", self.pending)
            self.assertEqual(caught.exception.code, code)
        self.assertEqual(asked, [])


class Webhooks(unittest.TestCase):
    secret = "whsec_" + base64.b64encode(b"a" * 32).decode()
    body = b'{"id":"evt_1","type":"chat.message.sent"}'

    def headers(self, key: bytes = b"a" * 32, at: int = 1_000) -> dict[str, str]:
        digest = hmac.new(key, f"evt_1.{at}.".encode() + self.body, hashlib.sha256).digest()
        signature = "v1," + base64.b64encode(digest).decode()
        return {"Webhook-Id": "evt_1", "webhook-timestamp": str(at), "webhook-signature": f"v1,x {signature}"}

    #: What a stranger may send in any header, as different servers hand it on.
    strange = ("9" * 13, "9" * 400, "9" * 5_000, "-1", "1e3", "\u0661", "\xe9", "\udce9", "\ud800", "v1,\udcff", "\x00", "v1,\u20ac", " ", b"1001", b"\xff")

    def test_takes_headers_as_bytes(self) -> None:
        raw = {name.encode(): value.encode() for name, value in self.headers().items()}
        self.assertEqual(unwrap(self.secret, raw, self.body, now=1_000)["id"], "evt_1")

    def test_takes_what_is_ours(self) -> None:
        self.assertEqual(unwrap(self.secret, self.headers(), self.body, now=1_000)["id"], "evt_1")
        other = "whsec_" + base64.b64encode(b"b" * 32).decode()
        self.assertEqual(unwrap([other, self.secret], self.headers(), self.body, now=1_000)["id"], "evt_1")

    def test_refuses_what_is_not(self) -> None:
        for headers, body, now in [
            (self.headers(b"b" * 32), self.body, 1_000),
            (self.headers(), self.body + b" ", 1_000),
            (self.headers(), self.body, 1_301),
            (self.headers(), self.body, 699),
            ({}, self.body, 1_000),
            ({**self.headers(), "webhook-timestamp": "x"}, self.body, 1_000),
            ({**self.headers(), "webhook-signature": "v1,"}, self.body, 1_000),
            (dict.fromkeys(self.headers(), ""), self.body, 1_000),
            (dict.fromkeys(self.headers(), None), self.body, 1_000),
            *(({**self.headers(), name: value}, self.body, 1_000) for name in self.headers() for value in self.strange),
        ]:
            with self.subTest(str(headers)[:200]), self.assertRaises(SignatureError):
                unwrap(self.secret, headers, body, now=now)
        for body in (b"", b"\xff", b"\x00" * 1_000, b"[" * 100_000):
            with self.assertRaises(SignatureError):
                unwrap(self.secret, self.headers(), body, now=1_000)
        with self.assertRaises(ValueError):
            unwrap("whsec_", self.headers(), self.body, now=1_000)


if __name__ == "__main__":
    unittest.main()

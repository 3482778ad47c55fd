"""What can go wrong, as classes."""

from __future__ import annotations

from typing import Any, Optional

import httpx


class ApiError(Exception):
    """What the service answered in place of a success. `code` is for programs and does not change, the message is for people."""

    def __init__(
        self, code: str, message: str, status: int, request_id: Optional[str] = None, retry_after_s: Optional[float] = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after_s = retry_after_s


class InvalidRequestError(ApiError):
    """400: the request has to be changed; the message names the field."""


class UnauthorizedError(ApiError):
    """401: the credential is missing, wrong, expired or revoked."""


class LoginRequiredError(ApiError):
    """The refresh token is used up, expired or revoked: whoever gave it has to log in again."""


class ForbiddenError(ApiError):
    """403: the credential is good and does not allow this."""


class NotFoundError(ApiError):
    """404: there is nothing of this name."""


class ConflictError(ApiError):
    """409: it is so already."""


class CursorExpiredError(ApiError):
    """410: events behind this cursor are not kept any more."""


class RateLimitedError(ApiError):
    """429, after all tries: `retry_after_s` says when."""


class ServerError(ApiError):
    """5xx, after all tries."""


class ConnectionFailed(Exception):
    """Nobody answered, after all tries."""


class SignatureError(Exception):
    """A webhook that is not ours, is too old, or was changed on its way. Answer it with 400."""


_CLASSES: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: CursorExpiredError,
    429: RateLimitedError,
}


def error_of(response: httpx.Response) -> ApiError:
    """The error that an answer is: the class says the status. The body must have been read."""
    try:
        body: Any = response.json()
    except ValueError:  # a proxy in between may answer with anything
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    error = error if isinstance(error, dict) else {}
    status = response.status_code
    try:
        retry_after_s = float(response.headers["retry-after"])
    except (KeyError, ValueError):
        retry_after_s = None
    kind = _CLASSES.get(status, ServerError if status >= 500 else ApiError)
    message = error.get("message") or f"The service answered with {status}."
    if response.is_redirect:  # followed, it would have secrets and bodies sent there
        error, message = {"code": "redirected"}, "The answer leads to another address: is that the right base_url?"
    return kind(error.get("code") or "unknown", message, status, response.headers.get("x-request-id"), retry_after_s)

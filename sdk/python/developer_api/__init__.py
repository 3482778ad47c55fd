"""The developer API for applications of third parties."""

from .aio import AsyncDeveloperApi, AsyncFeed, AsyncPages, AsyncUserTokens
from .client import DeveloperApi, Feed, Pages, UserTokens
from .errors import (
    ApiError,
    ConflictError,
    ConnectionFailed,
    CursorExpiredError,
    ForbiddenError,
    InvalidRequestError,
    LoginRequiredError,
    NotFoundError,
    RateLimitedError,
    ServerError,
    SignatureError,
    UnauthorizedError,
)
from .login import Login, PendingLogin
from .tokens import Application, Tokens
from .webhooks import unwrap

__all__ = [
    "ApiError",
    "Application",
    "AsyncDeveloperApi",
    "AsyncFeed",
    "AsyncPages",
    "AsyncUserTokens",
    "ConflictError",
    "ConnectionFailed",
    "CursorExpiredError",
    "DeveloperApi",
    "Feed",
    "ForbiddenError",
    "InvalidRequestError",
    "Login",
    "LoginRequiredError",
    "NotFoundError",
    "Pages",
    "PendingLogin",
    "RateLimitedError",
    "ServerError",
    "SignatureError",
    "Tokens",
    "UnauthorizedError",
    "UserTokens",
    "unwrap",
]

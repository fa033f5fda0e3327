"""What Discord answers when it refuses: a status, a JSON error code, and for a bad form what is wrong at which place."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

Key = str | int


class ApiError(Exception):
    """A refusal, with the status and the error code that Discord documents for it."""

    def __init__(self, status: int, code: int, message: str, errors: dict[str, Any] | None = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.headers: dict[str, str] = {}
        self.body: dict[str, Any] = {"message": message, "code": code}
        if errors:
            self.body["errors"] = errors


def unauthorized() -> ApiError:
    return ApiError(401, 0, "401: Unauthorized")


def unknown_channel() -> ApiError:
    return ApiError(404, 10003, "Unknown Channel")


def unknown_guild() -> ApiError:
    return ApiError(404, 10004, "Unknown Guild")


def unknown_member() -> ApiError:
    return ApiError(404, 10007, "Unknown Member")


def unknown_message() -> ApiError:
    return ApiError(404, 10008, "Unknown Message")


def unknown_user() -> ApiError:
    return ApiError(404, 10013, "Unknown User")


def unknown_emoji() -> ApiError:
    return ApiError(400, 10014, "Unknown Emoji")


def unknown_webhook() -> ApiError:
    return ApiError(404, 10015, "Unknown Webhook")


def unknown_interaction() -> ApiError:
    """Too late, already gone, or never there: Discord says the same of all three."""
    return ApiError(404, 10062, "Unknown interaction")


def unknown_command() -> ApiError:
    return ApiError(404, 10063, "Unknown application command")


def too_many_commands(limit: int) -> ApiError:
    return ApiError(400, 30032, f"Maximum number of application commands reached ({limit}).")


def already_acknowledged() -> ApiError:
    return ApiError(400, 40060, "Interaction has already been acknowledged.")


def too_many_followups() -> ApiError:
    return ApiError(400, 40094, "Maximum number of follow up messages reached for this interaction.")


def missing_access() -> ApiError:
    return ApiError(403, 50001, "Missing Access")


def wrong_in_a_dm() -> ApiError:
    return ApiError(403, 50003, "Cannot execute action on a DM channel")


def not_the_author() -> ApiError:
    return ApiError(403, 50005, "Cannot edit a message authored by another user")


def empty_message() -> ApiError:
    return ApiError(400, 50006, "Cannot send an empty message")


def cannot_dm() -> ApiError:
    return ApiError(403, 50007, "Cannot send messages to this user")


def missing_permissions() -> ApiError:
    return ApiError(403, 50013, "Missing Permissions")


def dead_token() -> ApiError:
    return ApiError(401, 50027, "Invalid Webhook Token")


def invalid_json() -> ApiError:
    return ApiError(400, 50109, "The request body contains invalid JSON.")


def history_needed() -> ApiError:
    return ApiError(400, 160002, "Cannot reply without permission to read message history")


class Form:
    """Collects what is wrong with a body, in the nested shape in which Discord reports it (error code 50035)."""

    def __init__(self) -> None:
        self._errors: dict[str, Any] = {}

    def wrong(self, path: tuple[Key, ...], code: str, message: str) -> None:
        """Note one fault at a place such as ("embeds", 0, "title"); an empty path is the body as a whole."""
        node = self._errors
        for key in path:
            node = node.setdefault(str(key), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def required(self, path: tuple[Key, ...]) -> None:
        self.wrong(path, "BASE_TYPE_REQUIRED", "This field is required")

    def at_most(self, path: tuple[Key, ...], value: Sized | None, limit: int) -> None:
        if value is not None and len(value) > limit:
            self.wrong(path, "BASE_TYPE_MAX_LENGTH", f"Must be {limit} or fewer in length.")

    def between(self, path: tuple[Key, ...], value: Sized | None, low: int, high: int) -> None:
        """A required text or list of a length within bounds."""
        if value is None:
            self.required(path)
        elif not low <= len(value) <= high:
            self.wrong(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")

    def one_of(self, path: tuple[Key, ...], value: object, choices: tuple[int, ...]) -> None:
        if value not in choices:
            self.wrong(path, "BASE_TYPE_CHOICES", f"Value must be one of {{{', '.join(map(str, choices))}}}.")

    def within(self, path: tuple[Key, ...], value: int, low: int, high: int) -> None:
        if value < low:
            self.wrong(path, "NUMBER_TYPE_MIN", f"int value should be greater than or equal to {low}.")
        if value > high:
            self.wrong(path, "NUMBER_TYPE_MAX", f"int value should be less than or equal to {high}.")

    def check(self) -> None:
        """Raise ApiError (400, 50035) if anything was noted."""
        if self._errors:
            raise ApiError(400, 50035, "Invalid Form Body", self._errors)

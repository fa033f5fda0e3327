"""Messages: what is said, by whom, whom it mentions and pings, and how much of it the bot gets to see."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .errors import Form, unknown_emoji, unknown_message
from .limits import EPHEMERAL, Json, check_message, walk
from .state import Channel, User, World, snowflake

SAID, REPLY, SLASH_ANSWER, MENU_ANSWER = 0, 19, 20, 23
CUSTOM_EMOJI = re.compile(r"^\w{2,32}:\d{15,21}$")
HIDDEN: Json = {"content": "", "embeds": [], "attachments": [], "components": []}


@dataclass(frozen=True)
class Upload:
    """A file that came with a request."""

    field: str
    name: str
    content: bytes


class Messages:
    """All messages of the world, as the JSON objects that the API speaks of."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.by_id: dict[str, Json] = {}
        self.files: dict[str, bytes] = {}
        self.cdn = ""
        self._pings: dict[str, set[str]] = {}

    def find(self, channel_id: str, message_id: str) -> Json:
        """A message that a bot can reach by its channel; ephemeral ones it cannot."""
        message = self.by_id.get(message_id)
        if message is None or message["channel_id"] != channel_id or message["flags"] & EPHEMERAL:
            raise unknown_message()
        return message

    def create(
        self,
        channel: Channel,
        author: User,
        data: Json,
        files: Sequence[Upload] = (),
        *,
        at: tuple[str, ...] = (),
        empty_is_fine: bool = False,
        extra: Json | None = None,
    ) -> Json:
        """Say something. Raises ApiError where Discord would refuse it."""
        check_message(data, has_files=bool(files), editing=empty_is_fine, at=at)
        message: Json = {
            "id": snowflake(),
            "channel_id": channel.id,
            "type": SAID,
            "author": author.payload(),
            "content": (data.get("content") or "").strip(),
            "timestamp": _now(),
            "edited_timestamp": None,
            "tts": False,
            "pinned": False,
            "mention_everyone": False,
            "mention_roles": [],
            "mentions": [],
            "attachments": self._attach(channel, data, files, []),
            "embeds": [],
            "components": [],
            "flags": data.get("flags") or 0,
            "reactions": [],
        }
        message |= self._reference(channel, data, at)
        message |= extra or {}
        self._fill(message, data, at)
        self._mention(message, data.get("allowed_mentions"))
        self.by_id[message["id"]] = message
        return message

    def edit(self, message: Json, data: Json, files: Sequence[Upload] = (), *, at: tuple[str, ...] = ()) -> None:
        """Change what the body names and nothing else; `null` empties a field."""
        merged = {key: data[key] if key in data else message[key] for key in ("content", "embeds", "components", "flags")}
        merged["allowed_mentions"] = data.get("allowed_mentions")
        check_message(merged, has_files=bool(files or message["attachments"]), at=at)
        if "attachments" in data or files:
            message["attachments"] = self._attach(self.world.channels[message["channel_id"]], data, files, message["attachments"])
        if "content" in data:
            message["content"] = (data["content"] or "").strip()
        self._fill(message, data, at)
        message["edited_timestamp"] = _now()
        self._mention(message, data.get("allowed_mentions"))

    def delete(self, message: Json) -> None:
        self.by_id.pop(message["id"], None)
        self._pings.pop(message["id"], None)

    def _fill(self, message: Json, data: Json, at: tuple[str, ...]) -> None:
        if "embeds" in data:
            message["embeds"] = [{"type": "rich", **embed} for embed in data["embeds"] or []]
            self._resolve_images(message, at)
        if "components" in data:
            message["components"] = data["components"] or []
            for number, component in enumerate(walk(message["components"]), start=1):
                component.setdefault("id", number)

    def _attach(self, channel: Channel, data: Json, files: Sequence[Upload], kept: list[Json]) -> list[Json]:
        described = {str(entry.get("id")): entry for entry in data.get("attachments") or []}
        attachments = [old for old in kept if "attachments" not in data or old["id"] in described]
        for upload in files:
            entry = described.get(upload.field.removeprefix("files[").removesuffix("]"), {})
            name, key = entry.get("filename") or upload.name, snowflake()
            self.files[key] = upload.content
            url = f"{self.cdn}/attachments/{channel.id}/{key}/{name}"
            kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
            attachment = {"id": key, "filename": name, "size": len(upload.content), "url": url, "proxy_url": url}
            said = {"description": entry["description"]} if entry.get("description") else {}
            attachments.append(attachment | {"content_type": kind} | said)
        return attachments

    def _resolve_images(self, message: Json, at: tuple[str, ...]) -> None:
        """An embed shows an upload by attachment://name; Discord puts the real address there."""
        addresses = {attachment["filename"]: attachment["url"] for attachment in message["attachments"]}
        form = Form()
        for number, embed in enumerate(message["embeds"]):
            for key in ("image", "thumbnail"):
                url = (embed.get(key) or {}).get("url", "")
                if not url.startswith("attachment://"):
                    continue
                name = url.removeprefix("attachment://")
                if name in addresses:
                    embed[key]["url"] = addresses[name]
                else:
                    message_ = f"The attachment {name} was not uploaded"
                    form.wrong((*at, "embeds", number, key, "url"), "MESSAGE_ATTACHMENT_NOT_FOUND", message_)
        form.check()

    def _reference(self, channel: Channel, data: Json, at: tuple[str, ...]) -> Json:
        """The fields that make a message a reply. Without a reference they must be absent: clients fail over a null."""
        reference = data.get("message_reference")
        if not reference:
            return {}
        target = self.by_id.get(str(reference.get("message_id")))
        if target is None or target["channel_id"] != channel.id:
            if reference.get("fail_if_not_exists", True):
                form = Form()
                form.wrong((*at, "message_reference"), "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
                form.check()
            return {}
        link = {"type": 0, "message_id": target["id"], "channel_id": channel.id}
        if channel.guild:
            link["guild_id"] = channel.guild.id
        shown = {key: value for key, value in target.items() if key != "referenced_message"}
        return {"type": REPLY, "message_reference": link, "referenced_message": shown}

    def _mention(self, message: Json, allowed: Json | None) -> None:
        """Whom a text names, and whom of those it pings, which is up to `allowed_mentions`."""
        named = list(dict.fromkeys(re.findall(r"<@!?(\d+)>", message["content"])))
        roles = list(dict.fromkeys(re.findall(r"<@&(\d+)>", message["content"])))
        everyone = bool(re.search(r"@(everyone|here)\b", message["content"]))
        answered = (message.get("referenced_message") or {}).get("author", {}).get("id")
        if allowed is None:
            pinged = {*named, *roles, *(["everyone"] if everyone else []), *([answered] if answered else [])}
        else:
            parse = allowed.get("parse") or []
            pinged = {user for user in named if "users" in parse or user in map(str, allowed.get("users") or [])}
            pinged |= {role for role in roles if "roles" in parse or role in map(str, allowed.get("roles") or [])}
            pinged |= {"everyone"} if everyone and "everyone" in parse else set()
            pinged |= {answered} if answered and allowed.get("replied_user") else set()
        shown = named + ([answered] if answered in pinged and answered not in named else [])
        message["mentions"] = [self.world.users[user].payload() for user in shown if user in self.world.users]
        message["mention_roles"] = [role for role in roles if role in pinged]
        message["mention_everyone"] = "everyone" in pinged
        self._pings[message["id"]] = pinged

    def pings(self, message: Json) -> set[str]:
        """Ids of the users and roles whom a message notifies, and "everyone" for @everyone and @here."""
        return self._pings.get(message["id"], set())

    def for_bot(self, message: Json, *, may_read: bool) -> Json:
        """What the bot gets of a message. Without the message-content intent the text is hidden, except in the bot's own
        messages, in direct messages, and where the bot is mentioned, by name or by a reply that pings.
        """
        channel, me = self.world.channels[message["channel_id"]], self.world.me.id
        shown = dict(message)
        seen = may_read or channel.guild is None or message["author"]["id"] == me
        if not seen and not any(user["id"] == me for user in message["mentions"]):
            shown |= HIDDEN
        if message.get("referenced_message"):
            shown["referenced_message"] = self.for_bot(message["referenced_message"], may_read=may_read)
        return shown

    def event(self, message: Json, *, may_read: bool) -> Json:
        """A message as the gateway's MESSAGE_CREATE and MESSAGE_UPDATE carry it."""
        channel = self.world.channels[message["channel_id"]]
        shown = self.for_bot(message, may_read=may_read) | {"channel_type": channel.type}
        if channel.guild is None:
            return shown
        guild = channel.guild
        shown["guild_id"] = guild.id
        author = guild.users.get(message["author"]["id"])
        if author:
            shown["member"] = guild.member(author, with_user=False)
        shown["mentions"] = [
            user | {"member": guild.member(guild.users[user["id"]], with_user=False)} if user["id"] in guild.users else user
            for user in message["mentions"]
        ]
        return shown

    def react(self, message: Json, user: User, emoji: str) -> Json:
        """Add a reaction; returns the emoji object."""
        shown = emoji_of(emoji)
        entry: Json | None = next((entry for entry in message["reactions"] if entry["emoji"] == shown), None)
        if entry is None:
            entry = {"emoji": shown, "count": 0, "me": False, "me_burst": False, "burst_colors": []}
            entry["count_details"] = {"burst": 0, "normal": 0}
            message["reactions"].append(entry)
        entry["count"] += 1
        entry["count_details"]["normal"] += 1
        entry["me"] = entry["me"] or user is self.world.me
        return shown

    def unreact(self, message: Json, user: User, emoji: str) -> Json:
        """Take a reaction back; returns the emoji object."""
        shown = emoji_of(emoji)
        for entry in list(message["reactions"]):
            if entry["emoji"] == shown:
                entry["count"] -= 1
                entry["count_details"]["normal"] -= 1
                entry["me"] = entry["me"] and user is not self.world.me
                if not entry["count"]:
                    message["reactions"].remove(entry)
        return shown


def emoji_of(text: str) -> dict[str, Any]:
    """The emoji object of "👍" or "name:id". Raises ApiError for what is neither."""
    if CUSTOM_EMOJI.match(text):
        name, key = text.split(":")
        return {"id": key, "name": name}
    # Emojis are no letters, and all of them stand beyond the Latin scripts (a keycap such as 1️⃣ carries a sign that does).
    if not text or text.isalnum() or max(map(ord, text)) < 0x2000:
        raise unknown_emoji()
    return {"id": None, "name": text}


def _now() -> str:
    return datetime.now(UTC).isoformat()

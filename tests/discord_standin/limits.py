"""What Discord refuses in messages, components, modals and autocomplete choices.

The numbers are those of its documentation. discord.py checks only a few of them before it sends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from .errors import Form, Key, empty_message

ROW, BUTTON, TEXT_INPUT = 1, 2, 4
SELECTS = (3, 5, 6, 7, 8)
SECTION, TEXT_DISPLAY, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL = 9, 10, 11, 12, 13, 14, 17, 18
V2_ONLY = (SECTION, TEXT_DISPLAY, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER)
LINK_STYLE, PREMIUM_STYLE = 5, 6
EPHEMERAL, LOADING, COMPONENTS_V2 = 1 << 6, 1 << 7, 1 << 15

EMBED_TEXTS: Final = {("title",): 256, ("description",): 4096, ("footer", "text"): 2048, ("author", "name"): 256}
EMBED_URLS: Final = (("url",), ("image", "url"), ("thumbnail", "url"), ("author", "url"), ("author", "icon_url"))

Path = tuple[Key, ...]
Json = dict[str, Any]


def walk(components: list[Json]) -> Iterator[Json]:
    """Every component, with what it holds, from the outside in."""
    for component in components:
        yield component
        yield from walk(component.get("components") or [])
        for key in ("accessory", "component"):
            if isinstance(component.get(key), dict):
                yield from walk([component[key]])


def check_message(data: Json, *, has_files: bool = False, editing: bool = False, at: Path = ()) -> None:
    """Refuse a message body as Discord does; `at` is where it stands in the request ("data" in an interaction's answer)."""
    form = Form()
    content, embeds, components = data.get("content") or "", data.get("embeds") or [], data.get("components") or []
    form.at_most((*at, "content"), content.strip(), 2000)
    _check_embeds(form, embeds, at)
    _check_mentions(form, data.get("allowed_mentions") or {}, at)
    if (data.get("flags") or 0) & COMPONENTS_V2:
        _check_layout(form, data, at)
    else:
        _check_rows(form, components, (*at, "components"))
    form.check()
    if not editing and not (content.strip() or embeds or components or has_files or data.get("sticker_ids") or data.get("poll")):
        raise empty_message()


def _check_embeds(form: Form, embeds: list[Json], at: Path) -> None:
    form.at_most((*at, "embeds"), embeds, 10)
    total = 0
    for number, embed in enumerate(embeds):
        here = (*at, "embeds", number)
        for path, limit in EMBED_TEXTS.items():
            text = (_within(embed, path) or "").strip()
            total += len(text)
            form.at_most((*here, *path), text, limit)
        fields = embed.get("fields") or []
        form.at_most((*here, "fields"), fields, 25)
        for position, field in enumerate(fields):
            for key, limit in (("name", 256), ("value", 1024)):
                text = (field.get(key) or "").strip()
                total += len(text)
                if not text:
                    form.required((*here, "fields", position, key))
                form.at_most((*here, "fields", position, key), text, limit)
        for path in EMBED_URLS:
            _check_url(form, (*here, *path), _within(embed, path))
        if embed.get("color") is not None:
            form.within((*here, "color"), embed["color"], 0, 0xFFFFFF)
        if not any(embed.get(key) for key in ("title", "description", "fields", "footer", "author", "image", "thumbnail")):
            form.required((*here, "description"))
    if total > 6000:
        form.wrong((*at, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")


def _within(embed: Json, path: tuple[str, ...]) -> Any:
    value: Any = embed
    for key in path:
        value = (value or {}).get(key)
    return value


def _check_url(form: Form, path: Path, url: str | None) -> None:
    if not url:
        return
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "attachment"):
        message = f"Scheme \"{parts.scheme}\" is not supported. Scheme must be one of ('http', 'https')."
        form.wrong(path, "URL_TYPE_INVALID_SCHEME", message)
    elif not parts.netloc:
        form.wrong(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")


def _check_mentions(form: Form, allowed: Json, at: Path) -> None:
    parse = allowed.get("parse") or []
    for number, kind in enumerate(parse):
        if kind not in ("users", "roles", "everyone"):
            message = "Value must be one of ('roles', 'users', 'everyone')."
            form.wrong((*at, "allowed_mentions", "parse", number), "BASE_TYPE_CHOICES", message)
    for kind in ("users", "roles"):
        form.at_most((*at, "allowed_mentions", kind), allowed.get(kind), 100)
        if kind in parse and allowed.get(kind):
            message = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            form.wrong((*at, "allowed_mentions"), "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)


def _check_rows(form: Form, rows: list[Json], at: Path) -> None:
    """Components of an ordinary message: at most five rows of five buttons or one menu."""
    form.at_most(at, rows, 5)
    for number, row in enumerate(rows):
        here = (*at, number)
        if row.get("type") in V2_ONLY:
            form.wrong((*here, "type"), "UNION_TYPE_CHOICES", "This component needs the flag IS_COMPONENTS_V2.")
        elif row.get("type") != ROW:
            form.one_of((*here, "type"), row.get("type"), (ROW,))
        else:
            _check_row(form, row, here)
    _check_ids(form, rows, at)


def _check_row(form: Form, row: Json, here: Path) -> None:
    parts = row.get("components") or []
    form.between((*here, "components"), parts, 1, 5)
    width = sum(5 if part.get("type") in SELECTS else 1 for part in parts)
    if width > 5 and len(parts) <= 5:
        message = "The specified component exceeds the maximum width"
        form.wrong((*here, "components", len(parts) - 1), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", message)
    for number, part in enumerate(parts):
        place = (*here, "components", number)
        if part.get("type") == BUTTON:
            _check_button(form, part, place)
        elif part.get("type") in SELECTS:
            _check_select(form, part, place)
        else:
            form.one_of((*place, "type"), part.get("type"), (BUTTON, *SELECTS))


def _check_button(form: Form, button: Json, here: Path) -> None:
    form.one_of((*here, "style"), button.get("style"), (1, 2, 3, 4, 5, 6))
    form.at_most((*here, "label"), button.get("label"), 80)
    if button.get("style") == LINK_STYLE:
        if not button.get("url"):
            form.wrong((*here, "url"), "BUTTON_COMPONENT_URL_REQUIRED", "A url is required")
        form.at_most((*here, "url"), button.get("url"), 512)
        _check_url(form, (*here, "url"), button.get("url"))
    elif button.get("style") != PREMIUM_STYLE:
        _check_custom_id(form, button, here)
        if not button.get("label") and not button.get("emoji"):
            form.required((*here, "label"))


def _check_select(form: Form, menu: Json, here: Path) -> None:
    _check_custom_id(form, menu, here)
    form.at_most((*here, "placeholder"), menu.get("placeholder"), 150)
    low, high = menu.get("min_values", 1), menu.get("max_values", 1)
    form.within((*here, "min_values"), low, 0, 25)
    form.within((*here, "max_values"), high, max(1, low), 25)
    if menu["type"] != SELECTS[0]:
        return
    options = menu.get("options") or []
    form.between((*here, "options"), options, 1, 25)
    seen: set[str] = set()
    for number, option in enumerate(options):
        place = (*here, "options", number)
        form.between((*place, "label"), option.get("label"), 1, 100)
        form.between((*place, "value"), option.get("value"), 1, 100)
        form.at_most((*place, "description"), option.get("description"), 100)
        if option.get("value") in seen:
            message = "The specified option value is already used"
            form.wrong((*place, "value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", message)
        seen.add(option.get("value", ""))
    if sum(bool(option.get("default")) for option in options) > high:
        message = f"Must have at most {high} default values"
        form.wrong((*here, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", message)


def _check_custom_id(form: Form, component: Json, here: Path) -> None:
    form.between((*here, "custom_id"), component.get("custom_id"), 1, 100)


def _check_ids(form: Form, components: list[Json], at: Path) -> None:
    found = Counter(part["custom_id"] for part in walk(components) if part.get("custom_id"))
    for custom_id, count in found.items():
        if count > 1:
            message = f"Component custom id cannot be duplicated: {custom_id}"
            form.wrong(at, "COMPONENT_CUSTOM_ID_DUPLICATED", message)


def _check_layout(form: Form, data: Json, at: Path) -> None:
    """Components of a message that consists of nothing else (IS_COMPONENTS_V2)."""
    for key in ("content", "embeds"):
        if data.get(key):
            message = "The flag IS_COMPONENTS_V2 cannot be used together with this field"
            form.wrong((*at, key), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message)
    components = data.get("components") or []
    here = (*at, "components")
    parts = list(walk(components))
    form.between(here, parts, 1, 40)
    text = "".join(part.get("content") or "" for part in parts if part.get("type") == TEXT_DISPLAY)
    if len(text) > 4000:
        message = "The text of all components exceeds the maximum size of 4000"
        form.wrong(here, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", message)
    for number, component in enumerate(components):
        form.one_of((*here, number, "type"), component.get("type"), (ROW, *V2_ONLY))
        for part in walk([component]):
            if part.get("type") == ROW:
                _check_row(form, part, (*here, number))
            elif part.get("type") == SECTION:
                form.between((*here, number, "components"), part.get("components"), 1, 3)
                if not part.get("accessory"):
                    form.required((*here, number, "accessory"))
    _check_ids(form, components, here)


def check_modal(data: Json) -> None:
    """Refuse a modal: title 45, custom_id 100, one to five inputs, each with a label of at most 45."""
    form = Form()
    form.between(("data", "title"), data.get("title"), 1, 45)
    form.between(("data", "custom_id"), data.get("custom_id"), 1, 100)
    components = data.get("components") or []
    form.between(("data", "components"), components, 1, 5)
    for number, component in enumerate(components):
        here = ("data", "components", number)
        form.one_of((*here, "type"), component.get("type"), (ROW, TEXT_DISPLAY, LABEL))
        if component.get("type") == LABEL:
            form.between((*here, "label"), component.get("label"), 1, 45)
            form.at_most((*here, "description"), component.get("description"), 100)
        for part in walk([component]):
            if part.get("type") == TEXT_INPUT:
                _check_text_input(form, part, (*here, "components", 0), labelled=component.get("type") == LABEL)
            elif part.get("type") in SELECTS:
                _check_select(form, part, (*here, "component"))
    _check_ids(form, components, ("data", "components"))
    form.check()


def _check_text_input(form: Form, part: Json, here: Path, *, labelled: bool) -> None:
    _check_custom_id(form, part, here)
    if not labelled:
        form.between((*here, "label"), part.get("label"), 1, 45)
    form.one_of((*here, "style"), part.get("style"), (1, 2))
    form.at_most((*here, "placeholder"), part.get("placeholder"), 100)
    form.at_most((*here, "value"), part.get("value"), 4000)
    form.within((*here, "min_length"), part.get("min_length") or 0, 0, 4000)
    form.within((*here, "max_length"), part.get("max_length") or 4000, 1, 4000)


def check_choices(choices: list[Json] | None, kind: int) -> None:
    """Refuse autocomplete choices: at most 25, names and text values of 1 to 100 characters, values of the option's type."""
    form = Form()
    if choices is None:
        form.required(("data", "choices"))
    for number, choice in enumerate(choices or []):
        here = ("data", "choices", number)
        value = choice.get("value")
        form.between((*here, "name"), choice.get("name"), 1, 100)
        if kind == 3 and not isinstance(value, str):
            form.wrong((*here, "value"), "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
        elif kind == 3:
            form.between((*here, "value"), value, 1, 100)
        elif isinstance(value, bool) or not isinstance(value, int if kind == 4 else int | float):
            form.wrong((*here, "value"), "NUMBER_TYPE_COERCE", f'Value "{value}" is not {"int" if kind == 4 else "float"}.')
    form.at_most(("data", "choices"), choices, 25)
    form.check()

"""Babel's locale with as much of its CLDR data as answers need, kept from one start to the next.

All that Babel has of a locale takes two megabytes and twenty milliseconds, nine tenths of it for units, currencies, time zones and
the names of languages and countries, none of which an answer says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import babel
from babel import Locale
from babel.localedata import LocaleDataDict, load

from answers.kept import kept, stamp

UNSAID = frozenset(
    (
        "compact_currency_formats", "compound_unit_patterns", "currency_formats", "currency_names", "currency_names_plural",
        "currency_symbols", "currency_unit_patterns", "date_fields", "interval_formats", "languages", "measurement_systems",
        "meta_zones", "scripts", "territories", "time_zones", "unit_display_names", "unit_patterns", "variants", "zone_formats",
    )
)  # fmt: skip
"""Parts of a locale's data that no answer says anything of."""


def babel_locale(code: str) -> Locale:
    """The locale that Babel calls ``code``, to write numbers, dates, lists and plurals with, and nothing else.

    Raises:
        UnknownLocaleError, ValueError: where Babel knows none.
    """
    name = "".join(sign if sign.isalnum() else "-" for sign in code)
    return kept(f"cldr-{name}", stamp([Path(__file__)], babel.__version__, code), lambda: _locale(code))


def _locale(code: str) -> Locale:
    locale = Locale.parse(code)
    data: dict[str | int | None, Any] = {part: value for part, value in load(str(locale)).items() if part not in UNSAID}
    # Where a later Babel holds its data elsewhere this is of no use and does no harm: it loads all of it when it first needs any.
    setattr(locale, "_Locale__data", LocaleDataDict(data))  # noqa: B010 - the name is private to Babel's class
    return locale

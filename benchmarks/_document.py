"""Tables that a command prints and a document shows."""

from __future__ import annotations


def with_section(document: str, name: str, text: str) -> str:
    """The document with ``text`` between the marks ``<!-- name -->`` and ``<!-- /name -->``.

    Raises:
        ValueError: where the document has no such marks.
    """
    before, start, rest = document.partition(f"<!-- {name} -->")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    if not start or not end:
        raise ValueError(f"there is no <!-- {name} --> with its <!-- /{name} -->")
    return f"{before}{start}\n{text}\n{end}{after}"

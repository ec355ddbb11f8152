"""What a page of HTML says that came where an API should have answered, such as the 502 of a gateway."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_READ = 20_000
_UNSEEN = ("style", "script", "template", "noscript")
_INLINE = ("a", "b", "code", "em", "i", "small", "span", "strong", "tt", "u")


def is_page(text: str) -> bool:
    """Return whether a text is markup."""
    return re.match(r"[\s\ufeff]*<[!?/a-z]", text, re.I) is not None


def words_of_page(page: str) -> str:
    """Return the page's title, else its first sentence, in one line without markup."""
    reader = _Reader()
    try:
        reader.feed(page[:_READ])
        reader.close()
    except AssertionError:  # the parser's word for a declaration that is none: what came before it counts
        pass
    title, text = (_line("".join(parts)) for parts in (reader.title, reader.text))
    return title if re.search(r"[^\W\d]", title) else re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0] or title


def _line(text: str) -> str:
    return " ".join(re.sub("[<>]", " ", text).split())


class _Reader(HTMLParser):
    """Collects the title and the text that a reader of the page sees."""

    def __init__(self) -> None:
        super().__init__()
        self.title: list[str] = []
        self.text: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Note what the text that follows belongs to."""
        self._separate(tag)
        if tag == "title" or tag in _UNSEEN:
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a title or of what is not seen."""
        self._separate(tag)
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Take text."""
        if self._inside == "title":
            self.title.append(data)
        elif not self._inside:
            self.text.append(data)

    def _separate(self, tag: str) -> None:
        if tag not in _INLINE:
            self.text.append(" ")

"""The text of a page: HTML as Markdown, other text unchanged."""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import urljoin

import webencodings
from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from markdownify import ATX, MarkdownConverter

_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?\s*([^\s;\"']{1,40})", re.IGNORECASE)
_UTF_8 = webencodings.UTF8


def charset_of(content_type: str) -> str:
    """Return the charset that a `Content-Type` names, or an empty string."""
    found = _CHARSET.search(content_type)
    return found.group(1) if found else ""


def text_of(body: bytes, charset: str) -> str:
    """Decode bytes; use UTF-8 if the charset is not a web encoding."""
    return str(webencodings.decode(body, webencodings.lookup(charset) or _UTF_8, "replace")[0])


def html_of(page: bytes, charset: str) -> str:
    """Decode a page by its BOM, the response's charset, its `<meta>`, UTF-8, or the encoding of most old pages."""
    encoding = webencodings.lookup(charset)
    if encoding is None:
        encoding = webencodings.lookup(EncodingDetector.find_declared_encoding(page, is_html=True) or "")
        if encoding is not None and encoding.name.startswith("utf-16"):
            encoding = _UTF_8  # an ASCII `<meta>` cannot be right about UTF-16: HTML standard, "prescan a byte stream"
    usual = _UTF_8 if encoding is None and _is_utf_8(page) else "windows-1252"
    return str(webencodings.decode(page, encoding or usual, "replace")[0])


def _is_utf_8(page: bytes) -> bool:
    try:
        page.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"  # the page was cut
    return True


_NEVER_TEXT = ("script", "style", "noscript", "template", "svg", "iframe", "dialog")
_AROUND = ("nav", "header", "footer", "aside", "form")
_MAIN = ("main", "[role=main]", "article")
_LONGEST_TITLE = 1_000
_SHORT = 200
"""Characters below which a main part may be an empty frame for a script; then the whole body is used."""
_BLANKS = re.compile(r"\n(?:[ \t]*\n){2,}")
_LANGUAGE = re.compile(r"(?:language|lang|highlight|highlight-source)-([A-Za-z0-9+#]{1,20})")


class Read(NamedTuple):
    """Title and text of a page, and whether its end was cut."""

    title: str
    text: str
    is_cut: bool


def read_html(page: bytes, url: str, charset: str, most: int) -> Read:
    """Return title and main text of an HTML page as Markdown with absolute links."""
    soup = BeautifulSoup(html_of(page, charset), "lxml")
    title = soup.title.get_text(" ", strip=True)[:_LONGEST_TITLE] if soup.title else ""
    for element in soup.find_all(_NEVER_TEXT):
        element.decompose()
    root = _main_part(soup)
    for element in root.select("[hidden], [aria-hidden=true], a.headerlink"):
        element.decompose()
    for name, attribute in (("a", "href"), ("img", "src")):
        for element in root.find_all(name):
            _make_whole(element, attribute, url)
    text = _BLANKS.sub("\n\n", _converted(root)).strip()
    return Read(title, text[:most], len(text) > most)


def _main_part(soup: BeautifulSoup) -> Tag:
    body = soup.body or soup
    for selector in _MAIN:
        found = soup.select_one(selector)
        if found is not None and len(found.get_text(strip=True)) >= _SHORT:
            return found
    for element in body.find_all(_AROUND):
        element.decompose()
    return body


def _make_whole(element: Tag, attribute: str, url: str) -> None:
    link = element.get(attribute)
    if not isinstance(link, str):
        return
    try:
        whole = urljoin(url, link)
    except ValueError:  # for example brackets without an address
        whole = ""
    if whole.startswith(("http://", "https://", "mailto:")):
        element[attribute] = whole
    elif element.name == "img":
        element.decompose()  # an inline picture is thousands of characters long
    else:
        del element[attribute]


def _converted(root: Tag) -> str:
    converter: Any = MarkdownConverter(heading_style=ATX, bullets="-", code_language_callback=_language, wrap=False)
    try:
        return str(converter.convert_soup(root))
    except RecursionError:  # elements nested thousands deep
        return root.get_text("\n", strip=True)


def _language(block: Tag) -> str:
    """Return the language of a code block; documentation tools declare it up to two elements further out."""
    for element in (block, *block.find_all("code", limit=1), *list(block.parents)[:2]):
        classes = element.get("class") or ()
        found = _LANGUAGE.search(" ".join(classes))
        if found and found.group(1) not in ("default", "none", "text"):
            return found.group(1)
    return ""

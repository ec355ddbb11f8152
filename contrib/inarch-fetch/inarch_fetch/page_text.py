"""A page's text: HTML as Markdown, everything else that is text as it stands."""

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
    """Return the charset that a `Content-Type` names, empty where it names none."""
    found = _CHARSET.search(content_type)
    return found.group(1) if found else ""


def text_of(body: bytes, charset: str) -> str:
    """Return bytes as text; UTF-8 where the charset is no encoding of the web."""
    return str(webencodings.decode(body, webencodings.lookup(charset) or _UTF_8, "replace")[0])


def html_of(page: bytes, charset: str) -> str:
    """Return a page as text: by its mark, the answer's charset, its own word, UTF-8, or else as most old pages are."""
    encoding = webencodings.lookup(charset)
    if encoding is None:
        encoding = webencodings.lookup(EncodingDetector.find_declared_encoding(page, is_html=True) or "")
        if encoding is not None and encoding.name.startswith("utf-16"):
            encoding = _UTF_8  # a word in ASCII can't be right about that: the HTML standard, "prescan a byte stream"
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
"""A main part with fewer characters than this may be a frame that a script would fill: then the whole body counts."""
_BLANKS = re.compile(r"\n(?:[ \t]*\n){2,}")
_LANGUAGE = re.compile(r"(?:language|lang|highlight|highlight-source)-([A-Za-z0-9+#]{1,20})")


class Read(NamedTuple):
    """What a page says, and whether its end was left out."""

    title: str
    text: str
    is_cut: bool


def read_html(page: bytes, url: str, charset: str, most: int) -> Read:
    """Return title and main text of an HTML page as Markdown, its links as whole addresses.

    Args:
        page: Its bytes.
        url: Where it was found.
        charset: What the answer said about its encoding, empty for nothing.
        most: Characters of the text that are returned.
    """
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
    except ValueError:  # such as brackets that hold no address
        whole = ""
    if whole.startswith(("http://", "https://", "mailto:")):
        element[attribute] = whole
    elif element.name == "img":
        element.decompose()  # a picture that stands in the page itself, thousands of letters long
    else:
        del element[attribute]


def _converted(root: Tag) -> str:
    converter: Any = MarkdownConverter(heading_style=ATX, bullets="-", code_language_callback=_language, wrap=False)
    try:
        return str(converter.convert_soup(root))
    except RecursionError:  # elements within elements, thousands deep
        return root.get_text("\n", strip=True)


def _language(block: Tag) -> str:
    """Return the language that a block of code says it is in; documentation says it up to two elements further out."""
    for element in (block, *block.find_all("code", limit=1), *list(block.parents)[:2]):
        classes = element.get("class") or ()
        found = _LANGUAGE.search(" ".join(classes))
        if found and found.group(1) not in ("default", "none", "text"):
            return found.group(1)
    return ""

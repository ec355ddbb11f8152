"""Pages of a server on loopback, fetched, refused and searched through the kernel, as a model's calls would be."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inarch_fetch import Search, Settings
from inarch_fetch.addresses import place_of
from inarch_fetch.fetcher import Fetcher
from inarch_fetch.html_converter import converted
from inarch_fetch.page_text import read_html
from inarch_fetch.web_tools import WebFetch, WebSearch

import inarch
from inarch.testing import ToolContract

GUIDE = """<!doctype html><title>Guide &amp; more</title><nav><a href=/>Home</a></nav>
<main><h1>Guide<a class=headerlink href="#guide">P</a></h1><p>Read <a href="more.html#x">more</a> first.
<img src="data:image/png;base64,AAAA"></p><p hidden>never seen</p><ul><li>one<li>two</ul>
<div class="highlight-python notranslate"><div class=highlight><pre><span></span>def f():

    return 1
</pre></div></div><table><tr><th>key<th>what<tr><td>a<td>b</table>%s</main><footer>all rights</footer>""" % (
    "<p>Enough words to be the main part of this page, which is what it is for.</p>" * 4
)
ENDLESS = b"x" * 65_536


class Pages(BaseHTTPRequestHandler):
    """The pages; what was asked is kept in `server.asked`."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append((self.headers["host"], self.path, dict(self.headers)))  # type: ignore[attr-defined]
        handle = getattr(self, "page_" + self.path.strip("/").partition("/")[0].partition("?")[0], None)
        self.page_missing() if handle is None else handle()

    def reply(self, body: bytes, kind: str = "text/html", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def page_missing(self) -> None:
        self.reply(b"no", status=404)

    def page_guide(self) -> None:
        self.reply(GUIDE.encode())

    def page_packed(self) -> None:
        self.reply(gzip.compress(GUIDE.encode()), content_encoding="gzip")

    def page_twice(self) -> None:
        self.reply(gzip.compress(gzip.compress(b"x")), "text/plain", content_encoding="gzip, gzip")

    def page_old(self) -> None:
        self.reply("<p>Grüße</p>".encode("latin-1"), "text/html; charset=iso-8859-1")

    def page_plain(self) -> None:
        self.reply(b"# as it stands", "text/markdown; charset=nonsense")

    def page_charset(self) -> None:
        _, _, where, charset = self.path.split("/")
        if where == "header":
            self.reply(b"x\xe4", f"text/plain; charset={charset}")
        else:
            self.reply(f"<meta charset='{charset}'><p>x\xe4</p>".encode("latin-1"))

    def page_picture(self) -> None:
        self.reply(b"\x89PNG", "image/png")

    def page_away(self) -> None:
        self.reply(b"", status=302, location="http://elsewhere.example/x")

    def page_moved(self) -> None:
        self.reply(b"", status=301, location="/guide")

    def page_bracket(self) -> None:
        self.reply(b"", status=302, location="http://[")

    def page_port(self) -> None:
        self.reply(b"", status=302, location="http://127.0.0.1:9/")

    def page_round(self) -> None:
        self.reply(b"", status=302, location="/round")

    def page_inside(self) -> None:
        self.reply(b"", status=302, location="file:///etc/passwd")

    def page_huge(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(10**9))
        self.end_headers()
        try:
            while True:
                self.wfile.write(ENDLESS)
        except OSError:
            self.close_connection = True

    def page_broken(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "100")
        self.end_headers()
        self.close_connection = True

    def page_silent(self) -> None:
        self.server.released.wait(60)  # type: ignore[attr-defined]
        self.close_connection = True

    def page_search(self) -> None:
        results = [
            {"title": f"T{n}", "url": f"https://example.org/{n}", "content": "some <b>words</b> &amp; more"}
            for n in range(30)
        ]
        self.reply(json.dumps({"results": results}).encode(), "application/json")

    def page_res(self) -> None:
        if self.headers["x-subscription-token"] != "brave-key-1234567890":
            self.reply(b"{}", "application/json", 422)
            return
        results = [{"title": "Brave", "url": "https://example.org/", "description": "a <strong>word</strong>"}]
        self.reply(json.dumps({"web": {"results": results}}).encode(), "application/json")

    def log_message(self, *words: Any) -> None:
        pass


class Site(ThreadingHTTPServer):
    """A server of the pages."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Pages)
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.released = threading.Event()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


def served(site: Site) -> Iterator[Site]:
    thread = threading.Thread(target=site.serve_forever, args=(0.02,))
    thread.start()
    yield site
    site.released.set()
    site.shutdown()
    thread.join()
    site.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    yield from served(Site())


def leads_to(*addresses: str) -> Any:
    """A resolver that gives these addresses, one after the other, for whatever is asked."""
    left = list(addresses)

    async def resolve(host: str, port: int) -> Sequence[str]:
        return [left.pop(0) if len(left) > 1 else left[0]]

    return resolve


def fetched(site: Site, path: str, resolve: Any = None, **settings: Any) -> Any:
    hosts = settings.pop("hosts", (site.host,))
    options = {"resolve": resolve} if resolve else {}
    url = path if "://" in path else f"http://{site.host}/{path}"
    return asyncio.run(Fetcher(Settings(hosts=hosts, **settings), **options).fetch(url))


class Asked:
    """A front end that answers each question with one word, and keeps the questions."""

    name = "asked"

    def __init__(self, outcome: str) -> None:
        self.outcome = outcome
        self.questions: list[inarch.ApprovalRequest] = []

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> list[inarch.Approval]:
        self.questions += batch
        return [inarch.Approval(one.call.id, self.outcome) for one in batch]  # type: ignore[arg-type]

    def close(self) -> None:
        pass


def called(
    tmp_path: Path, tool: str, arguments: Any, front_end: Any = None, environ: Any = (), **settings: Any
) -> inarch.ToolResult:
    config = {
        "profiles": {"default": {"plugins": ["sandbox-fs", "offline", "fetch"], "model": "offline"}},
        "plugins": {"fetch": settings},
    }
    options = {"front_end": front_end} if front_end else {}
    home = {"HOME": str(tmp_path / "home"), **dict(environ)}
    with inarch.compose(root=tmp_path, config=config, environ=home, journal=False, **options) as app:
        assert app.composition.refused == ()
        return asyncio.run(app.call_tool(tool, arguments))


class TestWebFetch(ToolContract):
    invalid = ({"url": "http://h/", "more": 1},)

    @pytest.fixture(autouse=True)
    def _site(self, site: Site) -> None:
        self.site = site
        self.valid = ({"url": f"http://{site.host}/guide"},)
        self.failing = (
            {"url": "ftp://example.org/"},
            {"url": f"http://{site.host}/missing"},
            {"url": "http://192.168.0.1/"},
        )
        self.slow = {"url": f"http://{site.host}/silent"}

    def make(self) -> inarch.Tool:
        return WebFetch(Settings(hosts=(self.site.host,)))


class TestWebSearch(ToolContract):
    valid = ({"query": "what is it"}, {"query": "x", "count": 2})
    invalid = ({"query": ""}, {"query": "x", "count": 0})
    repeatable = True

    @pytest.fixture(autouse=True)
    def _site(self, site: Site) -> None:
        self.site = site

    def make(self) -> inarch.Tool:
        return WebSearch(Search(base_url=f"http://{self.site.host}"), "", 20)


def test_a_page_is_markdown_with_whole_addresses(site: Site) -> None:
    page = fetched(site, "guide#part")
    assert (page.title, page.url, page.is_cut) == ("Guide & more", f"http://{site.host}/guide", False)
    assert page.text.startswith("# Guide\n\nRead [more]")
    assert f"[more](http://{site.host}/more.html#x)" in page.text
    assert "```python\ndef f():\n\n    return 1\n```" in page.text
    assert "| key | what |" in page.text and "- one\n- two" in page.text
    assert not any(word in page.text for word in ("Home", "all rights", "never seen", "base64", "headerlink"))


def test_encodings_and_other_text(site: Site) -> None:
    assert fetched(site, "packed").title == "Guide & more"
    assert fetched(site, "old").text == "Grüße"
    assert fetched(site, "plain").text == "# as it stands"


CHARSETS = ("latin1", "windows-1251", "punycode", "undefined", "idna", "unicode_escape", "utf-7", "zlib", "uu", "cp037")


@pytest.mark.parametrize("charset", CHARSETS)
def test_a_charset_is_one_of_the_webs_or_not_heeded(site: Site, charset: str) -> None:
    said = {"latin1": "xä", "windows-1251": "xд"}.get(charset)
    assert fetched(site, f"charset/header/{charset}").text == (said or "x\ufffd")
    assert fetched(site, f"charset/meta/{charset}").text == (said or "xä")


def test_a_page_that_grows_is_cut_and_one_that_grows_without_end_is_given_up() -> None:
    few, many = (b"<table><tr>" + b"<td colspan=1000>x" * cells for cells in (20, 20_000))
    read = asyncio.run(converted(few, "http://example.org/", "", 1_000, 20))
    assert (len(read.text), read.is_cut) == (1_000, True)
    with pytest.raises(inarch.ToolFailed, match="needs too much memory or time") as failure:
        asyncio.run(converted(many, "http://example.org/", "", 1_000, 1))
    assert failure.value.code == "execution" and failure.value.remedy


def test_a_page_of_a_gigabyte_is_cut(site: Site) -> None:
    page = fetched(site, "huge", max_bytes=100_000)
    assert (len(page.text), page.is_cut) == (100_000, True)


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("missing", "not_found", "HTTP 404"),
        ("picture", "validation", "not text: image/png"),
        ("round", "execution", "redirects more than 5 times"),
        ("away", "permission", "another host or port: http://elsewhere.example/x"),
        ("inside", "validation", "not the address of a page"),
        ("bracket", "validation", "not the address of a page"),
        ("broken", "execution", "ended early"),
        ("twice", "execution", "coding 'gzip, gzip', which was not asked for"),
        ("http://127.0.0.1:9/", "execution", "http://127.0.0.1:9/: "),
    ],
)
def test_what_can_not_be_had_is_said(site: Site, path: str, code: str, words: str) -> None:
    with pytest.raises(inarch.ToolFailed, match=words) as failure:
        fetched(site, path, hosts=(site.host, "127.0.0.1:9"))
    assert failure.value.code == code and failure.value.remedy


def test_a_host_that_never_answers_ends_at_the_limit(site: Site) -> None:
    with pytest.raises(inarch.ToolFailed, match=r"took longer than 0.3 s"):
        fetched(site, "silent", timeout_s=0.3)


def test_a_redirect_stays_on_its_host_or_goes_to_a_listed_one(site: Site) -> None:
    assert fetched(site, "moved").url.endswith("/guide")
    with pytest.raises(inarch.ToolFailed, match=r"the host elsewhere.example cannot be resolved"):
        fetched(site, f"http://{site.host}/away", leads_to_nothing, hosts=(site.host, "elsewhere.example"))


def test_a_redirect_to_another_port_is_one_to_another_host(site: Site) -> None:
    with pytest.raises(inarch.ToolFailed, match=r"another host or port: http://127.0.0.1:9/"):
        fetched(site, "port")
    assert str(place_of("http://example.org/")) == str(place_of("https://example.org/"))  # as questions have it


OWN = (
    *("127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001"),
    *("localhost", "a.localhost", "0.0.0.0", "0", "127.0.0.01", "127。0。0。1", "１２７.0.0.1", "rebound.example"),
    *("[::1]", "[::]", "[0:0::1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"),
    *("[64:ff9b:1::7f00:1]", "[fe80::1]", "[fd00::1]", "169.254.169.254", "10.0.0.1", "[2001:470::5efe:7f00:1]"),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(OWN), st.booleans(), st.sampled_from(["", "."]), st.booleans())
def test_no_spelling_and_no_listed_name_opens_this_machine(
    site: Site, host: str, is_upper: bool, dot: str, is_listed: bool
) -> None:
    name = (host.upper() if is_upper else host) + (dot if host[-1] != "]" else "")
    port = site.server_port
    listed = tuple(f"{one}:{port}" for one in ("localhost", "*.localhost", "rebound.example")) if is_listed else ()
    with pytest.raises(inarch.ToolFailed) as failure:
        fetched(site, f"http://{name}:{port}/guide", leads_to("127.0.0.1"), hosts=listed)
    assert failure.value.code in ("permission", "validation") and site.asked == []


async def leads_to_nothing(host: str, port: int) -> Sequence[str]:
    return []


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fd00::1", "64:ff9b::7f00:1", "0.0.0.0"],
)
def test_a_name_that_leads_to_a_private_address_is_refused(site: Site, address: str) -> None:
    with pytest.raises(inarch.ToolFailed, match="not a public address") as failure:
        fetched(
            site, f"http://rebound.example:{site.server_port}/guide", leads_to(address), hosts=("rebound.example:80",)
        )
    assert failure.value.code == "permission" and "[plugins.fetch] hosts" in failure.value.remedy
    assert site.asked == []


def test_a_name_can_not_lead_elsewhere_between_the_look_and_the_connection(site: Site) -> None:
    """The second answer for the name would be this machine; the page's redirect is what asks for it."""
    resolve = leads_to("127.0.0.1", "127.0.0.2")
    with pytest.raises(inarch.ToolFailed, match=r"resolves to 127.0.0.2, which is not a public address"):
        fetched(
            site, f"http://rebound.example:{site.server_port}/moved", resolve, hosts=(f"127.0.0.1:{site.server_port}",)
        )
    assert [path for _, path, _ in site.asked] == ["/moved"]
    assert site.asked[0][0] == f"rebound.example:{site.server_port}"


def test_the_certificate_has_to_be_the_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    site = Site()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("docs.example").configure_cert(context)
    site.socket = context.wrap_socket(site.socket, server_side=True)
    for running in served(site):
        port = running.server_port
        listed = (f"127.0.0.1:{port}",)
        assert fetched(running, f"https://docs.example:{port}/guide", leads_to("127.0.0.1"), hosts=listed).title
        with pytest.raises(inarch.ToolFailed, match=r"(?i)certificate"):
            fetched(running, f"https://other.example:{port}/guide", leads_to("127.0.0.1"), hosts=listed)


def test_variables_for_proxies_are_not_followed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert fetched(site, "guide").title


def test_a_page_is_fetched_once_and_then_kept(site: Site, tmp_path: Path) -> None:
    tool = WebFetch(Settings(hosts=(site.host,)))
    first, second = (asyncio.run(tool.run({"url": f"http://{site.host}/guide"}, None)) for _ in range(2))  # type: ignore[arg-type]
    assert first == second and len(site.asked) == 1


def test_a_host_that_is_not_listed_is_asked_about_with_what_always_would_cover(site: Site, tmp_path: Path) -> None:
    front_end = Asked("deny")
    result = called(tmp_path, "web_fetch", {"url": "https://docs.python.org/3/"}, front_end)
    assert result.error is not None and result.error.code == "denied"
    (question,) = front_end.questions
    assert question.reason == "docs.python.org is not listed in [plugins.fetch] hosts"
    assert question.shape == "pages of docs.python.org"


def test_a_listed_host_is_not_asked_about(site: Site, tmp_path: Path) -> None:
    front_end = Asked("deny")
    result = called(tmp_path, "web_fetch", {"url": f"http://{site.host}/guide"}, front_end, hosts=[site.host])
    assert result.success and result.data["title"] == "Guide & more" and not front_end.questions


def test_a_yes_does_not_open_this_machine(site: Site, tmp_path: Path) -> None:
    result = called(tmp_path, "web_fetch", {"url": f"http://{site.host}/guide"}, Asked("approve"))
    assert result.error is not None and result.error.code == "permission" and site.host in result.error.remedy
    assert site.asked == []


def test_without_a_person_an_unlisted_host_is_denied(tmp_path: Path) -> None:
    result = called(tmp_path, "web_fetch", {"url": "https://example.org/"})
    assert result.error is not None and result.error.code == "denied"


def test_searxng_is_asked_in_its_json_form(site: Site, tmp_path: Path) -> None:
    result = called(
        tmp_path, "web_search", {"query": "käse & wein", "count": 3}, search={"base_url": f"http://{site.host}/"}
    )
    assert [one["url"] for one in result.data["results"]] == [f"https://example.org/{n}" for n in range(3)]
    assert result.data["results"][0]["text"] == "some words & more"
    assert site.asked[0][1] == "/search?q=k%C3%A4se+%26+wein&format=json"


def test_brave_is_asked_with_its_key(site: Site, tmp_path: Path) -> None:
    search = {"service": "brave", "base_url": f"http://{site.host}"}
    key = {"BRAVE_API_KEY": "brave-key-1234567890"}
    result = called(tmp_path, "web_search", {"query": "x"}, environ=key, search=search)
    assert result.data["results"] == [{"title": "Brave", "url": "https://example.org/", "text": "a word"}]
    wrong = called(
        tmp_path, "web_search", {"query": "x"}, environ={"BRAVE_API_KEY": "another-key-1234567890"}, search=search
    )
    assert wrong.error is not None and "HTTP 422" in wrong.error.message and "key" in wrong.error.remedy
    none = called(tmp_path, "web_search", {"query": "x"}, search=search)
    assert none.error is not None and "set BRAVE_API_KEY" in none.error.remedy


@pytest.mark.parametrize("path", ["missing", "guide", "broken", "twice"])
def test_a_service_that_does_not_answer_as_it_should_is_said(site: Site, tmp_path: Path, path: str) -> None:
    result = called(tmp_path, "web_search", {"query": "x"}, search={"base_url": f"http://{site.host}/{path}"})
    assert result.error is not None and f"the search at http://{site.host}/{path}" in result.error.message


def test_there_is_no_search_without_a_service(tmp_path: Path) -> None:
    result = called(tmp_path, "web_search", {"query": "x"})
    assert result.error is not None and result.error.code == "not_found"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"hosts": ["http://x/"]}, "is not a host"),
        ({"max_bytes": 0}, "above 0"),
        ({"search": {"base_url": "x"}}, "http://"),
    ],
)
def test_wrong_settings_are_said(tmp_path: Path, settings: Any, words: str) -> None:
    with pytest.raises((inarch.InarchError, AssertionError), match=words):
        called(tmp_path, "web_fetch", {"url": "http://h/"}, **settings)


NO_ADDRESSES = [
    *("", "docs.python.org", "file:///etc/passwd", "http://", "http://user:secret@example.org/", "http://a b/"),
    *(
        "http://[::1/",
        "http://example.org:99999/",
        "http://0x7f.1/",
        "http://exa\u202emple.org/",
        "javascript:alert(1)",
    ),
    "http://" + "a" * 5_000,
]


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_what_is_no_address_is_refused_before_anybody_is_asked(url: str) -> None:
    with pytest.raises(inarch.ToolFailed, match="not the address of a page") as failure:
        place_of(url)
    assert failure.value.code == "validation"


def test_elements_thousands_deep_are_still_text() -> None:
    deep = b"<div>" * 20_000 + b"the words" + b"</div>" * 20_000
    assert read_html(deep, "http://example.org/", "", 100_000).text == "the words"

"""A plugin has the rights that its table grants, and no others."""

from __future__ import annotations

import http.server
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import asdict
from isolated_apps import call
from tests.egress.started import proxies_of

import inarch
from inarch.config.grants import Isolation
from inarch_lib.confinement import features
from inarch_plugins.isolation import rights
from inarch_plugins.isolation.run_rights import within


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            try:
                while True:
                    server.accept()[0].close()
            except OSError:
                pass

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def got(app: inarch.App, what: str, where: object) -> str:
    found = call(app, "reach", what=what, where=str(where))
    if found.success:
        return str(found.data)
    assert found.error is not None
    assert "Permission" in found.error.message, found.error.message
    return "refused"


def test_without_grants_nothing_is_reached(compose: Any, tmp_path: Path, port: int) -> None:
    app = compose()
    root = tmp_path / "root"
    (tmp_path / "secret").write_text("hush")
    assert got(app, "connect", port) == "refused"
    assert got(app, "write", root / "a.txt") == "refused"
    told = call(app, "reach", what="write", where=str(root / "a.txt")).error
    assert told is not None and "it may do what [isolation.every_kind] grants" in told.message
    assert got(app, "write", root / "new.txt") == "refused"
    assert got(app, "write", "/tmp/inarch-isolated-test") == "refused"
    assert got(app, "read", root / "a.txt") == "refused"
    assert got(app, "read", tmp_path / "secret") == "refused"
    assert got(app, "read", f"/proc/{os.getpid()}/environ") == "refused"
    assert got(app, "read", f"/proc/{os.getpid()}/mem") == "refused"
    assert got(app, "signal", os.getpid()) == "refused"
    assert got(app, "start", "") == "refused"
    assert got(app, "fork", "") == "refused"
    assert (root / "a.txt").read_text() == "what lies inside\n"


def test_network_is_granted(compose: Any, port: int) -> None:
    assert got(compose(network=True), "connect", port) == "got through"


@pytest.fixture
def site() -> Iterator[int]:
    """A server of one page on loopback: its port."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "6")
            self.end_headers()
            self.wfile.write(b"served")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.skipif(not features().network_namespace, reason=f"needs network namespaces: {features()}")
def test_hosts_are_granted_and_reached_by_a_proxy_only(compose: Any, site: int, port: int) -> None:
    app = compose(network=(f"localhost:{site}",))
    assert app.composition.refused == ()
    assert call(app, "reach", what="fetch", where=f"http://localhost:{site}/").data == "served"
    for what, where in (("connect", site), ("connect", port), ("fetch", f"https://localhost:{port}/")):
        told = call(app, "reach", what=what, where=str(where)).error
        assert told is not None
        assert f"[isolation.every_kind] lets it reach only localhost:{site}, by the proxy" in told.message
    assert "HTTPS_PROXY" in got(app, "variables", "").split()
    assert got(app, "unix", "") == "refused"
    assert got(app, "start", "") == "refused"


@pytest.mark.skipif(not features().network_namespace, reason=f"needs network namespaces: {features()}")
def test_the_proxy_ends_with_the_plugins_process(compose: Any, site: int) -> None:
    app = compose(network=(f"localhost:{site}",))
    assert call(app, "reach", what="fetch", where=f"http://localhost:{site}/").data == "served"
    process = app.composition.outcome.elsewhere["every_kind"].process
    assert len(proxies_of(os.getpid())) == 1
    assert not call(app, "reach", what="exit", where="3").success
    assert (
        call(app, "reach", what="fetch", where=f"http://localhost:{site}/").data == "served"
    )  # both were started again
    assert len(proxies_of(os.getpid())) == 1
    process.close()
    assert proxies_of(os.getpid()) == []


@pytest.mark.parametrize(
    ("table", "asked", "kept"),
    [
        ({"network": True}, {"network": True}, (True, ())),
        ({"network": True}, {"hosts": ("any.example",)}, (False, ("any.example",))),
        ({"network": False}, {"network": True}, "may not use the network"),
        ({"network": False}, {"hosts": ("pypi.org",)}, "may not use the network"),
        ({"network": ("pypi.org",)}, {}, (False, ())),
        ({"network": ("pypi.org",)}, {"network": True}, (False, ("pypi.org",))),
        ({"network": ("*.example.org",)}, {"hosts": ("a.example.org",)}, (False, ("a.example.org",))),
        ({"network": ("*.example.org",)}, {"hosts": ("*.a.example.org",)}, (False, ("*.a.example.org",))),
        ({"network": ("*.example.org",)}, {"hosts": ("example.org",)}, "may not reach example.org"),
        ({"network": ("pypi.org",)}, {"hosts": ("*.pypi.org",)}, r"may not reach \*.pypi.org"),
        ({"network": ("pypi.org",)}, {"hosts": ("pypi.org", "evil.example")}, "may not reach evil.example"),
        ({"network": ("pypi.org",)}, {"hosts": ("pypi.org:22",)}, "may not reach pypi.org:22"),
        ({"network": ("10.0.0.0/8",)}, {"hosts": ("10.1.1.1",)}, (False, ("10.1.1.1",))),
        ({"network": ("10.0.0.0/8",)}, {"hosts": ("0.0.0.0/0",)}, "may not reach 0.0.0.0/0"),
    ],
)
def test_programs_reach_no_more_than_their_plugin(table: dict[str, Any], asked: dict[str, Any], kept: Any) -> None:
    job = {"network": table["network"] is True, "hosts": rights._hosts(table), "root": "/", "anywhere": False}
    if isinstance(kept, str):
        with pytest.raises(inarch.ToolFailed, match=kept):
            within(inarch.Rights(**asked), "p", job)
        return
    found = within(inarch.Rights(**asked), "p", job)
    assert (found.network, found.hosts) == kept


def test_write_grants_what_it_names(compose: Any, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "one.txt").write_text("")
    app = compose(write=("build/", "one.txt"))
    assert got(app, "write", root / "build/new") == "got through"
    assert got(app, "write", root / "one.txt") == "got through"
    assert got(app, "write", root / "two.txt") == "refused"
    assert got(app, "write", root / ".git/config") == "refused"


def test_the_whole_workspace_leaves_protected_names_alone(compose: Any, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    app = compose(write=("",))
    assert got(app, "write", root / "src/new") == "got through"
    assert got(app, "write", root / ".git/config") == "refused"


def test_a_link_out_of_the_workspace_is_not_a_grant(compose: Any, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "build").symlink_to(tmp_path)
    (refused,) = compose(write=("build/",)).composition.refused
    assert "leads out of the workspace" in refused.reason


def test_anywhere_is_anywhere(compose: Any, tmp_path: Path) -> None:
    app = compose(write=("*",))
    assert got(app, "write", tmp_path / "file") == "got through"
    assert got(app, "connect", 9) == "refused"


def test_variables_are_passed_by_name(compose: Any) -> None:
    app = compose(env=("EVERY_KEY", "ABSENT"))
    names = got(app, "variables", "").split()
    assert "EVERY_KEY" in names
    assert not {"SECRET_KEY", "ABSENT", "PATH"} & set(names)
    assert "hush" not in got(app, "read", "/proc/self/environ")


@pytest.mark.parametrize(
    ("table", "offered", "said"),
    [
        (Isolation("process"), (0, True), "no Landlock"),
        (Isolation("process", network=True), (0, True), "no Landlock"),
        (Isolation("process"), (4, False), "no seccomp"),
        (Isolation("process", write=("*",)), (4, False), "no seccomp"),
        (Isolation("process", write=("*",)), (0, True), ""),
        (Isolation("process", network=True), (4, False), ""),
        (Isolation("process", network=True, write=("*",)), (0, False), ""),
    ],
)
def test_what_this_system_can_not_keep_from_it_must_be_granted(
    monkeypatch: pytest.MonkeyPatch, table: Isolation, offered: tuple[int, bool], said: str
) -> None:
    monkeypatch.setattr(rights, "_offered", lambda: offered)
    if not said:
        rights.require_enforceable("demo", asdict(table))
        return
    with pytest.raises(inarch.PluginError, match=said) as caught:
        rights.require_enforceable("demo", asdict(table))
    assert "[isolation.demo]" in caught.value.remedy


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"loud": 3}, "plugins.every_kind.loud: must be"),
        ({"sizes": [1, "x"]}, "plugins.every_kind.sizes[1]: must be"),
        ({"lout": True}, "did you mean 'loud'?"),
    ],
)
def test_wrong_settings_are_reported(compose: Any, settings: Any, said: str) -> None:
    texts = []
    for mode in ("in-process", "process"):
        with pytest.raises(inarch.ConfigError) as caught:
            compose(mode, settings=settings)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert said in texts[1]


def test_a_settings_class_that_cannot_be_described_is_refused_in_words(tmp_path: Path, compose: Any) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        "from __future__ import annotations\nimport attrs, inarch\n@attrs.frozen\nclass Settings:\n"
        "    it: Missing = None\n@inarch.hookimpl\ndef inarch_settings():\n    return Settings\n"
    )
    (refused,) = compose(files=(str(file),)).composition.refused
    assert "settings" in refused.reason and "Error" in refused.reason


def test_settings_reach_the_plugin_and_the_file_is_named(tmp_path: Path, compose: Any) -> None:
    assert call(compose(settings={"loud": True}), "whisper", text="A").data["loud"]
    file = tmp_path / "config.toml"
    text = '[profiles.default]\nplugins = []\n[isolation.every_kind]\nmode = "{}"\n[plugins.every_kind]\n\nloud = "x"\n'
    texts = []
    for mode in ("in-process", "process"):
        file.write_text(text.format(mode))
        with pytest.raises(inarch.ConfigError) as caught:
            inarch.compose(root=tmp_path, config=file, environ={"HOME": str(tmp_path)},
                           files=[str(Path(__file__).with_name("every_kind.py"))])  # fmt: skip
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert f"{file}:7:" in texts[1]


def test_the_process_loads_little_of_inarch(compose: Any, tmp_path: Path) -> None:
    source = 'import inarch, sys\n@inarch.tool\ndef loaded() -> list[str]:\n    "Loaded."\n    return [*sys.modules]\n'
    (tmp_path / "little.py").write_text(source)
    names = call(compose(files=(str(tmp_path / "little.py"),)), "loaded").data
    assert {"inarch_plugins.isolation.child", "inarch.plugins.registration"} <= set(names)
    far = ("calls", "program", "config", "journal", "sessions", "turns", "plugins.composition", "plugins.plugin_loader")
    near = ("process", "proxy_plugin", "proxies", "rights", "spawner")
    beside = tuple([f"inarch.{name}" for name in far] + [f"inarch_plugins.isolation.{name}" for name in near])
    heavy = ("rich", "click", "prompt_toolkit", "httpx2", "sqlite3")
    assert [name for name in names if name.startswith((*beside, *heavy))] == []

"""Whatever an isolated plugin asks of the kernel, it gets what its table, its declared effects and the rules allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isolated_apps import GRACE_S, HERE

import inarch
from inarch.testing import says, scripted_app
from inarch_plugins.isolation.run_rights import within

Made = Callable[..., inarch.App]
SECRET = "sk-hush-0123456789abcdef"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    """Compose applications with the plugin that asks, in a home of their own with a key in it."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root/notes.txt").write_text("notes\n")
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/id_rsa").write_text("PRIVATE")
    apps: list[inarch.App] = []

    def one(approve: str = "all", *, front_end: Any = None, config: Mapping[str, Any] | None = None,
            journal: bool = False, **table: Any) -> inarch.App:  # fmt: skip
        profile = {"plugins": ["sandbox-fs"], "model": "offline", "approve": approve}
        tables = {"isolation": {"asking": {"mode": "process", **table}}, **(config or {})}
        environ = {"HOME": str(tmp_path), "OTHERS": str(tmp_path / ".ssh"), "SOME_API_KEY": SECRET}
        apps.append(
            inarch.compose(
                root=tmp_path / "root", config={"profiles": {"default": profile}, **tables}, environ=environ,
                files=(str(HERE / "asking.py"),), front_end=front_end, journal=journal,
            )
        )  # fmt: skip
        assert apps[-1].composition.refused == ()
        return apps[-1]

    yield one
    for app in apps:
        asyncio.run(app.aclose())


def called(app: inarch.App, name: str, **arguments: Any) -> inarch.ToolResult:
    return asyncio.run(asyncio.wait_for(app.call_tool(name, arguments), GRACE_S))


def refused(app: inarch.App, name: str, **arguments: Any) -> str:
    found = called(app, name, **arguments)
    assert found.error is not None, found.data
    assert found.error.code in ("permission", "denied", "validation"), found.error
    return found.error.message


def test_programs_have_no_rights_that_the_table_does_not_grant(made: Made, tmp_path: Path) -> None:
    app = made()
    key, root = str(tmp_path / ".ssh/id_rsa"), tmp_path / "root"
    link = called(app, "leave", link="link", target=str(tmp_path / ".ssh")).data
    own = app.composition.tools["edit"].context.state_dir
    for asked in ([str(tmp_path)], [key], ["/"], [link], [f"{own}/../../../.."], [f"{root}/../.ssh"], [".ssh"], ["~"]):
        assert "asking" in refused(app, "edit", argv=["cat", key], asked={"reads": asked}) or asked[0][0] != "/"
    for tool in ("edit", "hook", "build"):
        for asked in ([str(tmp_path)], [link], ["/"], [str(root)], [str(root / ".git")]):
            refused(app, tool, argv=["touch", str(tmp_path / "new")], asked={"writes_outside": asked})
        for path in (".git/", "./.git/hooks/", "sub/.GIT/", ".inarch/", ".\N{ZERO WIDTH SPACE}git/", "git~1/"):
            assert path in refused(app, tool, argv=["mkdir", "-p", ".git/hooks"], asked={"writes": [path]})
        assert "network" in refused(app, tool, argv=["true"], asked={"network": True})
        assert "LD_PRELOAD" in refused(app, tool, argv=["true"], asked={"env": {"LD_PRELOAD": f"{own}/x.so"}})
    assert sorted(path.name for path in root.iterdir()) == ["notes.txt"]
    assert not (tmp_path / "new").exists()


def test_programs_reach_what_the_plugin_reaches_itself(made: Made, tmp_path: Path) -> None:
    app = made()
    own = Path(app.composition.tools["edit"].context.state_dir)
    (own / "kept").write_text("its own")
    assert called(app, "edit", argv=["cat", str(own / "kept")], asked={"reads": [str(own)]}).data == [0, "its own"]
    assert (
        called(app, "edit", argv=["cat", "notes.txt"], asked={"reads": [str(tmp_path / "root")]}).data[1] == "notes\n"
    )
    assert called(app, "edit", argv=["tee", "notes.txt"], asked={"writes": ["notes.txt"]}).data == [0, ""]
    argv, asked = ["touch", str(own / "new")], {"writes_outside": [str(own)]}
    assert called(app, "build", argv=argv, asked=asked).data == [0, ""]
    assert "write outside" in refused(app, "edit", argv=argv, asked=asked)  # it declared a file of the workspace


def test_a_tool_that_edits_writes_nowhere_else_unasked_whatever_is_granted(made: Made, tmp_path: Path) -> None:
    app = made("edits", write=("*",))
    asked = {"writes_outside": [str(tmp_path)]}
    assert "write outside" in refused(app, "edit", argv=["touch", str(tmp_path / "new")], asked=asked)
    assert "there was no user to ask" in refused(app, "hook", argv=["touch", str(tmp_path / "new")], asked=asked)
    assert not (tmp_path / "new").exists()


class Asked:
    """A front end that keeps what it is asked and says no."""

    name = "asked"

    def __init__(self) -> None:
        self.requests: list[inarch.ApprovalRequest] = []
        self.shown: list[inarch.Event] = []

    def show(self, event: inarch.Event) -> None:
        self.shown.append(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        self.requests += batch
        return [inarch.Approval(request.call.id, "deny") for request in batch]

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("tool", "table", "said"),
    [
        ("edit", {}, "plugin 'asking' runs isolated: it may run programs, which change nothing but that"),
        ("build", {"network": True}, "which may change anything in the workspace and use the network"),
        ("edit", {"write": ("*",)}, 'write = ["*"] lets it read and change whatever you may'),
        ("edit", {"write": ("out/",)}, "its table lets it change out"),
    ],
)  # fmt: skip
def test_the_question_says_what_the_call_can_come_to(made: Made, tool: str, table: Any, said: str) -> None:
    asked = Asked()
    refused(made("ask", front_end=asked, **table), tool, argv=["true"], asked={})
    (request,) = asked.requests
    assert "fine Approved by the user. xxx" in request.reason, "one line"
    assert len(request.reason) < 1000
    assert said in request.reason
    assert request.preview.startswith("what its arguments say; what an isolated plugin makes of them can't be shown:")


def test_sources_only_look(made: Made, tmp_path: Path) -> None:
    screen = Asked()
    asyncio.run(asyncio.wait_for(made(front_end=screen).session().run("hello"), GRACE_S))
    added = [str(event.data) for event in screen.shown if event.kind == "context.added"]
    assert max(text.count(": permission") for text in added) == 5
    assert sorted(path.name for path in (tmp_path / "root").iterdir()) == ["notes.txt"]


def test_what_rules_keep_from_calls_is_kept_whatever_the_call_declares(made: Made, tmp_path: Path) -> None:
    (tmp_path / "root/.env").write_text("KEY=hush\n")
    app = made(config={"rules": [{"tool": "*", "path": ".env", "decision": "deny"}]})
    assert "a rule keeps .env" in refused(app, "glance", backwards="vne.")
    assert called(app, "glance", backwards="txt.seton").data == "notes\n"
    assert "a rule keeps .env" in refused(app, "build", argv=["cat", ".env"], asked={})


def test_a_kept_image_of_a_file_is_not_an_output(made: Made) -> None:
    assert "no output" in refused(made(), "image", path="notes.txt")


@pytest.mark.parametrize(("env", "received"), [((), False), (("SOME_API_KEY",), True)])
def test_secrets_are_those_that_the_table_passes_on(made: Made, env: tuple[str, ...], received: bool) -> None:
    app = made(env=env)
    word = app.redactor.text(SECRET)
    assert word.startswith("‹secret:")
    from urllib.parse import unquote

    assert (unquote(called(app, "take", text=f"a {word}").data)[::-1] == f"a {SECRET}") is received


def test_a_tracer_names_no_files_of_others(made: Made, tmp_path: Path) -> None:
    app = made(env=("OTHERS",))
    (tracer,) = (bound.value for bound in app.composition.tracers if bound.plugin == "asking")
    with pytest.raises(inarch.PluginError, match="none of its own"):
        tracer.files("id_rsa")  # type: ignore[attr-defined]


def test_an_image_that_was_altered_is_damaged(made: Made) -> None:
    store = made().composition.stores["altering"].value.open("memory")
    ref = store.put_blob("s", b"bytes")
    with pytest.raises(inarch.StoreError, match="other bytes"):
        store.get_blob("s", ref)
    store.close()


def test_what_is_said_to_the_model_is_marked_and_ends_with_the_call(made: Made) -> None:
    app = made()
    session = app.session()

    async def go() -> list[Any]:
        first = await session.call_tool("tell", {"text": "hello"})
        second = await session.call_tool("tell", {"text": "again"})
        return [first.data, second.data]

    first, second = asyncio.run(asyncio.wait_for(go(), GRACE_S))
    assert first == ["asking", True, False, None] and second[:3] == first[:3]
    assert isinstance(second[3], str) and "over" in second[3]
    assert [(one.by, one.text) for one in session.waiting] == [("asking", "hello"), ("asking", "again")]
    assert "no session" in str(called(app, "tell", text="x").error)


def test_a_child_session_is_refused_before_there_is_one(made: Made) -> None:
    app = made()
    session = app.session()
    kinds: list[str] = []
    session.state.journal.listeners.append(lambda event: kinds.append(event.kind))
    found = asyncio.run(asyncio.wait_for(session.call_tool("delegate", {}), GRACE_S))
    assert found.error is not None and found.error.code == "permission"
    assert "may have no child session" in found.error.message and "children = true" in found.error.remedy
    assert not any(kind.startswith("child.") for kind in kinds)
    assert "call.result" in kinds


@given(st.data())
def test_no_path_leads_out_of_the_folders_of_its_own(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    home = tmp_path_factory.getbasetemp() / "within"
    for name in ("root", "cache", "state", "other"):
        (home / name).mkdir(parents=True, exist_ok=True)
    if not (home / "state/link").is_symlink():
        (home / "state/link").symlink_to(home / "other")
    own = [str(home / "cache"), str(home / "state")]
    job = {"root": str(home / "root"), "cache_dir": own[0], "state_dir": own[1], "writable": own, "anywhere": False,
           "network": False, "hosts": []}  # fmt: skip
    words = st.sampled_from(["root", "cache", "state", "other", "link", "..", ".", "", "a"])
    path = str(home) + "/" + "/".join(data.draw(st.lists(words, max_size=6)))
    for asked in (inarch.Rights(reads=(path,)), inarch.Rights(writes_outside=(path,))):
        try:
            found = within(asked, "p", job)
        except inarch.ToolFailed:
            continue
        assert {*found.reads, *found.writes_outside} <= set(own)


SENDS = """
import inarch

async def sends(words, context):
    try:
        context.ask_model(words)
    except inarch.InarchError as error:
        return f"not sent: {error}"
    context.submit("go")
    return "sent"

@inarch.hookimpl
def inarch_slash_commands(context):
    return [inarch.SlashCommand("send", "Send.", sends)]
"""


def test_a_command_names_the_model_of_its_prompt(tmp_path: Path) -> None:
    (plugin := tmp_path / "sends.py").write_text(SENDS)
    (root := tmp_path / "root").mkdir()
    config = {"profiles": {"default": {"plugins": ["sandbox-fs"]}}, "isolation": {"sends": {"mode": "process"}}}
    app, model = scripted_app([says("done")], root, config=config, files=(str(plugin),))
    said: list[str] = []

    async def work() -> None:
        session = app.session()
        for name in ("nobodys/other", "scripted/other"):
            for prompt in await app.command(session, f"/send {name}", said.append):
                await session.run(prompt)
        await app.aclose()

    asyncio.run(asyncio.wait_for(work(), GRACE_S))
    assert said[0].startswith("not sent: ") and "no plugin provides the model 'nobodys/other'" in said[0]
    assert said[1:] == ["sent"] and [request.model for request in model.requests] == ["other"]

"""The part of the Language Server Protocol that errors need: initialisation, texts of files and diagnostics."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from attrs import define, field

import inarch
from inarch_lsp.connection import Connection, Ended
from inarch_lsp.problems import Problem, problems_of
from inarch_lsp.server_lookup import Found

TYPESCRIPT_COMMAND = "typescript.tsserverRequest"
TYPESCRIPT_PROGRAM = "typescript-language-server"
TYPESCRIPT_OPTIONS = {"disableAutomaticTypingAcquisition": True}
"""Initialisation options: the server has no network to install types from."""


def typescript_questions(path: str) -> Iterator[dict[str, Any]]:
    """Yield the commands that return syntax errors and type errors."""
    for request in ("syntacticDiagnosticsSync", "semanticDiagnosticsSync"):
        yield {"command": TYPESCRIPT_COMMAND, "arguments": [request, {"file": path}]}


def typescript_answer(reply: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return a reply's errors in the protocol's format, None if it has none."""
    result = reply.get("result")
    body = result.get("body") if isinstance(result, dict) else None
    if not isinstance(body, list):
        return None
    return [_diagnostic(one) for one in body if isinstance(one, dict) and one.get("category") == "error"]


def _diagnostic(given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert an error's line and column from 1-based to 0-based."""
    start = given.get("start")
    place = start if isinstance(start, dict) else {}
    counted = (place.get("line"), place.get("offset"))
    line, character = (number - 1 if isinstance(number, int) else None for number in counted)
    begin = {"line": line, "character": character}
    return {"range": {"start": begin}, "message": given.get("text"), "code": given.get("code")}


SILENCE_S = 10.0
"""Seconds of silence after which a server that pushes errors is checked for life: it sends none for some files."""
QUIET_S = 0.3
"""Seconds of silence after which pushed errors are complete: some servers send them in parts."""
MOST_PARTS = 20
MOST_OPEN = 20
_AGAIN = (-32802, -32801)  # the server cancelled it, or the text changed: ask again


@define(eq=False)
class Document:
    """A file as the server knows it: `told` are its errors and their version, None after a change."""

    path: str
    text: str
    version: int = 1
    told: tuple[int | None, Any] | None = None


@define(eq=False, repr=False)
class Speaker:
    """LSP client for one server; one thread calls its methods."""

    found: Found
    workspace: inarch.Workspace
    patience_s: float
    root: str = field(init=False)
    connection: Connection = field(init=False)
    _documents: OrderedDict[str, Document] = field(init=False, factory=OrderedDict)
    _replies: dict[int, dict[str, Any]] = field(init=False, factory=dict)
    _last: int = field(init=False, default=0)
    _encoding: str = field(init=False, default="utf-16")
    _ask_for: Callable[[Document], Any] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.root = os.path.realpath(self.workspace.root)
        rights = inarch.Rights(executes=True, reads=self.found.reads)
        self.connection = Connection(self.found.argv, rights, self._heard)

    def begin(self) -> None:
        """Start the server and read its capabilities.

        Raises:
            Ended: It cannot be started, or does not report its capabilities.
        """
        self.connection.open(self.workspace)
        place = Path(self.root).as_uri()
        reply = self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": place,
                "workspaceFolders": [{"uri": place, "name": Path(self.root).name}],
                "capabilities": _CAPABILITIES,
                "initializationOptions": TYPESCRIPT_OPTIONS if self.found.program == TYPESCRIPT_PROGRAM else {},
            },
        )
        result = reply.get("result")
        can = result.get("capabilities") if isinstance(result, dict) else None
        if not isinstance(can, dict):
            raise Ended("it did not report its capabilities")
        runs = can.get("executeCommandProvider")
        commands = runs.get("commands") if isinstance(runs, dict) else None
        if isinstance(can.get("diagnosticProvider"), dict):
            self._ask_for = self._answer_about
        elif isinstance(commands, list) and TYPESCRIPT_COMMAND in commands:
            self._ask_for = self._answer_of_typescript
        counted = can.get("positionEncoding", "utf-16")
        self._encoding = counted if counted in ("utf-8", "utf-16", "utf-32") else "utf-16"
        self._tell("initialized", {})

    def problems(self, path: str, text: str) -> tuple[Problem, ...]:
        """Return the errors of a file with this text.

        Raises:
            Ended: The server has ended.
        """
        with self.connection.changed:  # messages from here on are about this text
            document = self._give(path, text)
        told = self._told_by_itself(document) if self._ask_for is None else None
        if told is None and self._ask_for is not None:  # it may only now have asked for pull diagnostics
            told = self._ask_for(document)
        return problems_of(self._told_by_itself(document) if told is None else told, text, self._encoding)

    def _give(self, path: str, text: str) -> Document:
        """Send the server a file's text, and changes of the other open files."""
        for other in [known for known in self._documents.values() if known.path != path]:
            self._refresh(other)
        document = self._documents.pop(path, None)
        if document is None:
            document = self._documents[path] = Document(path, text)
            language = self.found.languages[PurePosixPath(path).suffix]
            item = {"uri": self._uri(path), "languageId": language, "version": 1, "text": text}
            self._tell("textDocument/didOpen", {"textDocument": item})
        else:
            self._documents[path] = document  # the last entry is the most recent
            if document.text != text:
                self._change(document, text)
        changes = [{"uri": self._uri(path), "type": 2 if document.version > 1 else 1}]
        self._tell("workspace/didChangeWatchedFiles", {"changes": changes})
        while len(self._documents) > MOST_OPEN:
            self._close(next(iter(self._documents)))
        return document

    def _change(self, document: Document, text: str) -> None:
        document.text, document.version, document.told = text, document.version + 1, None
        item = {"uri": self._uri(document.path), "version": document.version}
        self._tell("textDocument/didChange", {"textDocument": item, "contentChanges": [{"text": text}]})

    def _refresh(self, document: Document) -> None:
        """Send the server the current text of a file that a command may have changed."""
        try:
            text = self.workspace.read(document.path).data.decode()
        except (inarch.ToolFailed, UnicodeDecodeError):
            self._close(document.path)
            return
        if text != document.text:
            self._change(document, text)

    def _close(self, path: str) -> None:
        del self._documents[path]
        self._tell("textDocument/didClose", {"textDocument": {"uri": self._uri(path)}})

    def _answer_about(self, document: Document) -> Any:
        """Request a file's errors; return None if the server does not support that."""
        for _ in range(5):
            reply = self._ask("textDocument/diagnostic", {"textDocument": {"uri": self._uri(document.path)}})
            result, error = reply.get("result"), reply.get("error")
            if isinstance(result, dict) and isinstance(result.get("items"), list):
                return result["items"]
            if not isinstance(error, dict) or error.get("code") not in _AGAIN:
                break
        return None

    def _answer_of_typescript(self, document: Document) -> Any:
        """Request a file's errors by the commands of tsserver; return None if the server does not support that."""
        found: list[Any] = []
        for params in typescript_questions(str(Path(self.root, document.path))):
            told = typescript_answer(self._ask("workspace/executeCommand", params))
            if told is None:
                return None
            found += told
        return found

    def _told_by_itself(self, document: Document) -> Any:
        """Wait for pushed errors; return None if the server turns out to expect requests."""
        asked = self._ask_for
        heard = self.connection.wait(
            lambda: document.told is not None or self._ask_for is not asked, min(SILENCE_S, self.patience_s)
        )
        if self._ask_for is not asked:
            return None
        if not heard:
            self._ask("$/inarch/alive", {})  # a running server at least replies that the method is unknown
        for _ in range(MOST_PARTS):
            seen = document.told
            if not self.connection.wait(lambda seen=seen: document.told is not seen, QUIET_S):  # type: ignore[misc]
                break
        return document.told[1] if document.told is not None else []

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its reply.

        Raises:
            Ended: The reply timed out, or the server has ended.
        """
        self._last += 1
        number = self._last
        self.connection.send({"id": number, "method": method, "params": params})
        if not self.connection.wait(lambda: number in self._replies, self.patience_s):
            raise Ended(f"it did not answer within {self.patience_s:g} s")
        return self._replies.pop(number)

    def _tell(self, method: str, params: Mapping[str, Any]) -> None:
        self.connection.send({"method": method, "params": params})

    def _heard(self, message: dict[str, Any]) -> None:
        """Handle a message, in the reader's thread."""
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str) and isinstance(number, (int, str)):
            self.connection.send({"id": number, "result": self._granted(method, message.get("params"))})
        elif method == "textDocument/publishDiagnostics" and isinstance(message.get("params"), dict):
            self._note(message["params"])
        elif isinstance(number, int) and number == self._last:
            self._replies[number] = message

    def _granted(self, method: str, params: Any) -> Any:
        """Return the reply to a server's request: its settings, or nothing for other requests."""
        given = params if isinstance(params, dict) else {}
        if method == "client/registerCapability" and isinstance(given.get("registrations"), list):
            names = [one.get("method") for one in given["registrations"] if isinstance(one, dict)]
            if "textDocument/diagnostic" in names:
                self._ask_for = self._answer_about
        if method != "workspace/configuration" or not isinstance(given.get("items"), list):
            return None
        sections = [item.get("section") if isinstance(item, dict) else None for item in given["items"][:100]]
        return [self.found.settings_of(section) for section in sections]

    def _note(self, params: Mapping[str, Any]) -> None:
        try:
            place = unquote(urlsplit(str(params.get("uri", ""))).path)
        except ValueError:
            return  # not an address
        document = self._documents.get(os.path.relpath(place, self.root)) if place.startswith("/") else None
        version = params.get("version")
        if document is not None and (version is None or version == document.version):
            document.told = version, params.get("diagnostics")

    def _uri(self, path: str) -> str:
        return Path(self.root, path).as_uri()


_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {"dynamicRegistration": False},
        "publishDiagnostics": {"versionSupport": True},
        "diagnostic": {"dynamicRegistration": True},
    },
    "workspace": {"configuration": True, "workspaceFolders": True},
}

"""Words that determine which code runs: shells, interpreters with inline code, variables before a command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inarch.command_lines import CARRIERS
from inarch_plugins.sandbox_fs.commands.kinds import Refused

SHELLS = frozenset({
    "sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh", "ash", "busybox", "pwsh", "powershell", "eval",
    "osascript", "rbash", "yash", "posh",
})  # fmt: skip
_CODE = re.compile(r"--?(?:c|e|r|p|eval|exec|print|command|execute|run)(?:=.*)?|-[A-Za-z]{0,3}[ce]", re.S)
_INTERPRETER = re.compile(r"(?:python|pypy|perl|ruby|node|php|lua)[0-9.]*")
_CODE_OF_INTERPRETER = re.compile(r"-[A-Za-z]*[ceErp].*", re.S)  # also joined to it, as in -cpass
_LIKE_A_SHELL = re.compile(r"[A-Za-z-]*sh[0-9.-]*")
STANDARD_INPUT = re.compile(r"(?:--?[A-Za-z-]+=?)?-")
"""Word that names the standard input, by itself or as the value of an option."""
_SPLITS = ("-S", "--split-string")


def can_be_kept(words: Sequence[str]) -> bool:
    """Return whether an approval of these words may be stored: not if one names a shell or is an option for code."""
    names = [_base(part[0]) if (part := word.split(None, 1)) else "" for word in words]
    started = names if names[0] in CARRIERS else names[:1]
    code = _CODE_OF_INTERPRETER if any(map(_INTERPRETER.fullmatch, names)) else _CODE
    return (
        SHELLS.isdisjoint(names)
        and not any(map(_LIKE_A_SHELL.fullmatch, started))
        and not any(_CODE.fullmatch(word) or code.fullmatch(word) for word in words[1:])
        and not (names[0] in CARRIERS and any(word.startswith(_SPLITS) for word in words))
    )


def reads_code(words: Sequence[str], rule: str) -> bool:
    """Return whether these words after a pipe may run their input, which no one has reviewed, as code."""
    interprets = any(_INTERPRETER.fullmatch(_base(word)) for word in words)
    is_named = "FILE" in rule.split() or "-m" in words
    return (interprets and not is_named) or any(map(STANDARD_INPUT.fullmatch, words[1:]))


def _base(word: str) -> str:
    return word.rpartition("/")[2]


_VARIABLE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>.*)", re.S)
_HARMLESS = frozenset({
    "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUTF8", "PYTHONIOENCODING", "RUST_BACKTRACE",
    "CARGO_TERM_COLOR", "NODE_ENV", "GOOS", "GOARCH", "GOMAXPROCS",
})  # fmt: skip
_LOADS = re.compile(
    r"(?:LD|DYLD|GLIBC|GCONV|GIT|SSH|SSL|OPENSSL|NPM|NODE|CARGO|PIP|UV|MALLOC|NIX|DOTNET|CORECLR|COR|COREPACK|LUA|PHP|R"
    r"|GUILE|ELECTRON|YARN|PNPM|POETRY|DOCKER|COMPOSER|BUNDLE|GEM|XDG|ANSIBLE|CMAKE|JULIA|OMP_TOOL)_.*"
    r"|(?:PYTHON|_PYTHON|PERL|RUBY|RUST|BASH|JAVA|_JAVA|JDK|GO(?!AL|OGLE)).*"
    r"|PATH|HOME|USER|SHELL.*|ENV|IFS|PS[0-9]|PROMPT_COMMAND|CDPATH|TMP|TEMP|TMPDIR|TERMINFO.*|TERMCAP|PHPRC|CLASSPATH"
    r"|.*(?:PAGER|EDITOR|BROWSER|ASKPASS|PRELOAD|OPTS|OPTIONS|FLAGS|PLUGINS?|MODULES|RSH|RCPATH|PLUGIN_PATH)"
    r"|(?:.*_)?PROXY|.*_CONFIG(?:_FILE|_PATH|_DIR|_HOME)?|KUBECONFIG|.*(?<!S)RC|VISUAL|LESS.*|MAKE.*|MAVEN.*|GRADLE.*"
    r"|ZDOTDIR|MPLBACKEND|GCC_EXEC_PREFIX|COMPILER_PATH"
    r"|CC|CXX|LD|AR|AS|CPP|CURL_HOME|WGETRC|VIRTUAL_ENV|HOSTALIASES|LOCALDOMAIN|NLSPATH|LOCPATH|TCLLIBPATH",
    re.S | re.I,
)
"""Names that determine which code runs, or its search path or source."""
_ENV_TAKES = frozenset({"-u", "--unset", "-C", "--chdir"})
_SPLIT_STRING = re.compile(r"-S|--split-string=?")


def is_variable(word: str) -> bool:
    """Return whether a first word sets a variable."""
    return _VARIABLE.fullmatch(word) is not None


def split_variables(words: Sequence[str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the variables before a command, and the command."""
    variables: dict[str, str] = {}
    for position, word in enumerate(words):
        found = _VARIABLE.fullmatch(word)
        if found is None:
            return variables, tuple(words[position:])
        _check_name(found["name"])
        variables[found["name"]] = found["value"]
    raise Refused("variables are set and no command is given", "give the command", grantable=False)


def check_env(words: Sequence[str]) -> None:
    """Check the variables that `env` sets like those before a command; other programs set none."""
    left = iter(words[1:] if words[0].rpartition("/")[2] == "env" else ())
    for word in left:
        if word in _ENV_TAKES:
            next(left, "")
            continue
        split = _SPLIT_STRING.match(word)
        for part in word[split.end() :].split() if split else (word,):
            if found := _VARIABLE.fullmatch(part):
                _check_name(found["name"])
        if not is_variable(word) and not word.startswith("-"):
            return


def _check_name(name: str) -> None:
    if _LOADS.fullmatch(name) and name not in _HARMLESS:
        raise Refused(
            f"{name} can't be set before a command: it may determine which code runs", "leave it out", grantable=False
        )

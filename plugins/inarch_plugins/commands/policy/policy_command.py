"""`inarch policy`: what may run without asking, why, and how to revoke it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from inarch import UsageError
from inarch.commands import ANSWERED, FAILED, Group, compose_given, composing_options
from inarch.output import print_json, print_line

if TYPE_CHECKING:
    from inarch import App


_STALE = ", asked again: the tool or its plugin has changed"


@click.group("policy", cls=Group)
def policy() -> None:
    """List, explain, test and revoke permissions."""


@policy.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def list_policy(as_json: bool, **given: Any) -> None:
    """List the approval mode, rules, grants and approvals of this project."""
    with compose_given(given) as app:
        data = _listed(app)
    if as_json:
        print_json(data)
    else:
        _show(_list_lines(data))


@policy.command("explain")
@click.argument("what")
@click.argument("arguments", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def explain_call(what: str, arguments: str | None, as_json: bool, **given: Any) -> None:
    """Explain the decision about a call: WHAT is a tool, with ARGUMENTS as JSON, or a command line."""
    from inarch_plugins.commands.policy.call_explanation import explained, explained_lines
    from inarch_plugins.commands.policy.cases import command_call
    from inarch_plugins.commands.tools_command import read_object

    with compose_given(given) as app:
        if arguments is None and _is_command(what, app.composition.tools):
            name, wanted = command_call(app, what)
        else:
            name, wanted = what, read_object(arguments or "{}")
        found = app.parts.tools.explain(name, wanted, app.workspace, heeds_grants=True)
        data = explained(app, found)
    if as_json:
        print_json(data)
    else:
        _show(explained_lines(data))


def _is_command(what: str, tools: Collection[str]) -> bool:
    """Return whether WHAT alone is a command line: it has more than one word, or resembles no tool."""
    from difflib import get_close_matches

    return any(map(str.isspace, what)) or (what not in tools and not get_close_matches(what, tools, cutoff=0.7))


@policy.command("revoke")
@click.argument("which", metavar="ID|all")
@click.option("--root", metavar="DIR", default=".", help="The project, instead of the current directory.")
def revoke(which: str, root: str) -> int:
    """Revoke approvals of this project: one by its ID, or all."""
    from inarch.host import Approvals, state_dir

    gone = Approvals(root, state_dir()).revoke(None if which == "all" else which)
    if not gone and which != "all":
        raise UsageError(f"this project has no approval {which!r}", "inarch policy list shows them")
    _show([f"revoked {one.id}  {one.shape}" for one in gone] or ["nothing was approved for this project"])
    return ANSWERED


@policy.command("test")
@click.argument("file", required=False)
@composing_options
def test(file: str | None, **given: Any) -> int:
    """Find rules without effect and, with FILE (TOML or JSON), unexpected decisions.

    A case has `tool` and `arguments`, or `command`, and `expected`: allow, ask, deny or invalid. Approvals do not
    count. Exit 1 if anything is found.
    """
    from inarch_plugins.commands.policy.cases import read_cases, told

    cases = read_cases(file) if file is not None else []
    with compose_given(given) as app:
        faults = list(_rule_faults(app))
        wrong = [line for case in cases if (line := told(case, app)) is not None]
        rules = len(app.config.rules)
    _show([*faults, *wrong])
    _show([f"{rules} rules, {len(faults)} faults; {len(cases)} cases, {len(wrong)} with unexpected decisions"])
    return FAILED if faults or wrong else ANSWERED


def _show(lines: list[str]) -> None:
    for line in lines:
        print_line(line)


def _listed(app: App) -> dict[str, Any]:
    from attrs import asdict

    from inarch.host import Approvals
    from inarch_plugins.commands.policy.call_explanation import origin, rule_data
    from inarch_sdk.settings import dotted

    config, grants, tools = app.config, app.parts.tools.project_grants, app.composition.tools
    known = Approvals(config.root, config.state_dir).known()
    mode = dotted(("profiles", config.profile.name, "approve"))
    return {
        "root": config.root,
        "mode": {"approve": config.profile.approve, "origin": origin(app, mode)},
        "rules": [rule_data(app, rule) for rule in config.rules],
        "commands": [
            {"name": name, "argv": list(grant.argv), "network": grant.reaches, "origin": origin(app, place)}
            for name, grant in config.commands.items()
            for place in [dotted(("commands", name))]
        ],
        "approvals": [
            asdict(one) | {"holds": one.tool in tools and grants.still_holds(one, tools[one.tool])} for one in known
        ],
    }


def _list_lines(data: Mapping[str, Any]) -> list[str]:
    from shlex import join

    rules = [f"{rule['rule']}  ({rule['origin']}{', expired' if rule['expired'] else ''})" for rule in data["rules"]]
    commands = []
    for one in data["commands"]:
        words = f"{join(one['argv'][:-1])} …" if one["argv"][-1] == "*" else join(one["argv"])
        network = one["network"] and f", with {one['network']}"
        commands.append(f"{one['name']}  {words}{network}  ({one['origin']})")
    approvals = [
        f"{one['id']}  {one['shape']}  (since {one['given'][:10]}, {one['plugin']}{'' if one['holds'] else _STALE})"
        for one in data["approvals"]
    ]
    lines = [f"mode  {data['mode']['approve']}  ({data['mode']['origin']})"]
    for title, rows in (
        ("rules, the strictest applies", rules),
        ("commands that run without a question", commands),
        ("approved for this project", approvals),
    ):
        lines += ["", title, *(f"  {row}" for row in rows or ["none"])]
    return lines


def _rule_faults(app: App) -> Iterator[str]:
    from datetime import UTC, datetime

    from inarch_plugins.commands.policy.call_explanation import origin
    from inarch_plugins.commands.policy.cases import faults_of

    places = [origin(app, f"rules[{position}]") for position in range(len(app.config.rules))]
    tools = {name: bound.value for name, bound in app.composition.tools.items()}
    for position, place in enumerate(places):
        for fault in faults_of(position, app.config.rules, places, tools, datetime.now(UTC)):
            yield f"{place}: {fault}"

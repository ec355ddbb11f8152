"""`inarch doctor`: checks the installation, and how well commands are sandboxed here."""

from __future__ import annotations

from typing import Any

import click

from inarch.commands import composing_options
from inarch.output import print_json, print_line

_MARKS = {"fine": "ok  ", "note": "note", "wrong": "BAD "}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON array of findings.")
@composing_options
def doctor(as_json: bool, **given: Any) -> int:
    """Check configuration, trust, plugins, sandbox, store and programs. Exit 1 if something is wrong.

    If no model server is configured, it tries the usual local ports. Nothing leaves this machine, and no key is shown.
    """
    from attrs import asdict

    from inarch.commands import ANSWERED, FAILED
    from inarch.host import Options
    from inarch_plugins.commands.doctor.checkup import check_up

    findings = []
    for finding in check_up(Options.of(given)):
        findings.append(finding)
        if not as_json:
            remedy = f" ({finding.remedy})" if finding.remedy else ""
            line = f"{_MARKS[finding.state]}  {finding.topic:<13}  {finding.text}{remedy}"
            print_line(line)
            for copied in finding.lines:
                print_line(f"      {copied}".rstrip())
    if as_json:
        print_json([asdict(one) for one in findings])
    return FAILED if any(one.state == "wrong" for one in findings) else ANSWERED

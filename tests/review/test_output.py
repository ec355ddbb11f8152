"""Reports for other programs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve
from jsonschema import Draft7Validator

import inarch
from inarch_plugins.review import output
from inarch_plugins.review.findings import Finding
from inarch_plugins.review.gathered_change import Gathered
from inarch_plugins.review.review_run import Report

from .conftest import Place, finding

# The part of the schema of SARIF 2.1.0 that a report uses, written from the standard (OASIS, 2020-03-27: 3.13 sarifLog,
# 3.14 run, 3.19 toolComponent, 3.20 invocation, 3.27 result, 3.28 location, 3.29 physicalLocation, 3.30 region).
REGION = {
    "type": "object", "additionalProperties": False, "required": ["startLine"],
    "properties": {"startLine": {"type": "integer", "minimum": 1}, "endLine": {"type": "integer", "minimum": 1}},
}  # fmt: skip
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LOCATION = {
    "type": "object", "required": ["physicalLocation"], "additionalProperties": False,
    "properties": {
        "id": {"type": "integer", "minimum": -1},
        "message": MESSAGE,
        "physicalLocation": {
            "type": "object", "additionalProperties": False, "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object", "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "pattern": r"^(?!/|\w+:)[^ \\]*$"}},
                },
                "region": REGION,
            },
        },
    },
}  # fmt: skip
RESULT = {
    "type": "object", "required": ["message"], "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]}, "message": MESSAGE,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "uniqueItems": True, "items": LOCATION},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "properties": {"type": "object"},
    },
}  # fmt: skip
SARIF: dict[str, Any] = {
    "type": "object", "required": ["version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "items": {
            "type": "object", "required": ["tool"], "additionalProperties": False,
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                    "type": "object", "required": ["name"],
                    "properties": {"rules": {"type": "array", "uniqueItems": True, "items": {
                        "type": "object", "required": ["id"]}}},
                }}},
                "invocations": {"type": "array", "items": {"type": "object", "required": ["executionSuccessful"]}},
                "results": {"type": "array", "maxItems": 5_000, "items": RESULT},
            },
        }},
    },
}  # fmt: skip


def report(*findings: dict[str, Any]) -> Report:
    change = Gathered("changes since main", 1, [{"path": "shop/prices.py"}])
    return Report(change, tuple(inarch.from_data(Finding, one) for one in findings))


def test_sarif_has_the_form_of_the_standard(place: Place) -> None:
    place.write("a b%ü.py", "x = 1\n")
    where = {"path": "a b%ü.py", "side": "RIGHT", "line_range": {"start": 1, "end": 1}}
    proof = [{"path": "a b%ü.py", "line": 1, "quote": "x = 1"}]
    odd = finding(code_location=where, evidence=proof, category="security", priority=3)
    place.answer = lambda text: {"findings": [odd, finding()]}
    ran = place.run("review", "--output", "sarif")
    assert ran.returncode == 5, ran.stderr
    log = json.loads(ran.stdout)
    Draft7Validator(SARIF).validate(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"]] == [True, True]
    assert [one["level"] for one in run["results"]] == ["error", "note"]
    (place_of_odd,) = run["results"][1]["locations"]
    assert place_of_odd["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%25%C3%BC.py"


def test_sarif_ends_at_the_most_results_that_github_takes() -> None:
    many = evolve(report(finding()), findings=report(finding()).findings * 5_001)
    log = output.sarif(many)
    assert len(log["runs"][0]["results"]) == 5_000


def test_a_review_without_findings_is_a_whole_sarif_log() -> None:
    Draft7Validator(SARIF).validate(output.sarif(report()))


@pytest.mark.parametrize("text", ["a\n::error::b", "a\r\n::add-mask::b", "a::b,c=d%0A", "\x1b[2J\u202e"])
def test_text_of_a_model_starts_no_workflow_command(text: str) -> None:
    lines = list(output.workflow_commands(report(finding(title=text, body=text))))
    assert len(lines) == 2
    assert all(not {"\n", "\r", "\x1b", "\u202e"} & set(line) for line in lines)
    assert lines[0].startswith("::error file=shop/prices.py,line=6,endLine=6,title=P1 ")
    properties = lines[0].removeprefix("::error ").split("::")[0]
    assert properties.count(",") == 3


def test_text_shows_where_and_why() -> None:
    lines = list(output.text_lines(report(finding())))
    assert lines[0] == "P1 shop/prices.py:6  The unit has changed"
    assert "   shop/prices.py:6: return 100 * sum(items)" in lines
    assert lines[-1] == "1 finding in 1 of 1 changed files (changes since main)"

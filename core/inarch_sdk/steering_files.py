"""Files that control other tools, and the policy that asks the user before writes to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall, Verdict
from inarch_lib.staging.spellings import folded
from inarch_sdk.modes import COPY

# # Each name is a path below any folder, and includes everything inside. Checked on 2026-11-28:
# Agents: agents.md, code.claude.com/docs/en/permission-modes (protected paths), developers.openai.com/codex,
# opencode.ai/docs/config, docs.github.com/copilot (instructions, prompts, hooks), docs.cursor.com/context/rules,
# docs.windsurf.com (.devin since June 2026), docs.cline.bot, docs.roocode.com, docs.warp.dev,
# zed.dev (.rules).
# Editors: code.visualstudio.com (tasks with runOn, workspace files), containers.dev, neovim.io (exrc).
# Shells and Git: direnv.net, mise.jdx.dev, git-scm.com/docs/gitmodules, typicode.github.io/husky, pre-commit.com,
# lefthook.dev. Packages: docs.npmjs.com, yarnpkg.com (yarnPath, plugins), pnpm.io (pnpmfile),
# doc.rust-lang.org/cargo/reference/config.html (runner, rustc-wrapper), maven.apache.org (.mvn/extensions.xml).
# CI: the documentation of GitHub, GitLab, CircleCI, Jenkins, Azure Pipelines, Bitbucket, Travis, Drone, Woodpecker,
# Buildkite, AppVeyor, Cirrus, Semaphore, TeamCity, Gitea and Forgejo.
STEERING: Mapping[str, str] = {
    "tells agents what to do": (
        "AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md .agents .claude .claude.json"
        " .codex .gemini .qwen .opencode opencode.json opencode.jsonc .cursor .cursorrules .windsurf .windsurfrules"
        " .devin .clinerules .roo .roorules* .roomodes .kilocode .continue .amazonq .kiro .junie .augment .trae"
        " .goosehints .aider.conf.yml .inarch .agent .amp .rules WARP.md"
        " .github/copilot-instructions.md .github/instructions .github/prompts"
        " .github/chatmodes .github/agents .github/skills .github/hooks"
    ),
    "names servers that agents start": ".mcp.json",
    "is obeyed by editors that open the folder": (
        ".vscode *.code-workspace .idea .fleet .zed .devcontainer .devcontainer.json .vimrc .nvimrc .exrc .nvim.lua"
        " .dir-locals.el"
    ),
    "runs when a shell enters the folder": ".envrc .mise .mise.*toml mise.*toml mise/config.*toml .config/mise",
    "runs when a shell starts": (
        ".profile .bashrc .bash_profile .bash_login .bash_logout .zshrc .zshenv .zprofile .zlogin .zlogout"
        " .config/fish/config.fish"
    ),
    "says what Git fetches or runs": (
        ".gitmodules .gitconfig .husky .githooks .git-hooks .pre-commit-config.yaml .pre-commit-config.yml"
        " lefthook*.y*ml lefthook*.toml lefthook*.json* .lefthook* .overcommit.yml"
    ),
    "says what package managers fetch or run": (
        ".npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.*js .cargo/config .cargo/config.toml .mvn"
    ),
    "runs on the project's CI": (
        ".github/workflows .github/actions *.gitlab-ci.yml *.gitlab-ci.yaml .gitlab/ci .circleci Jenkinsfile"
        " azure-pipelines*.y*ml .azure-pipelines bitbucket-pipelines.yml .travis.yml .drone.y*ml .woodpecker"
        " .woodpecker.y*ml .buildkite appveyor.yml .appveyor.yml .cirrus.yml .semaphore .teamcity .gitea/workflows"
        " .forgejo/workflows"
    ),
}
"""Effects of files on other tools, with the files' names; `*` matches any part of a name."""


class AskAboutSteering:
    """Policy that asks the user before a tool writes files that other tools obey or run, except in a copy."""

    name = "steering-files"

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Ask if a call declares to write such a file."""
        writes = sorted(tool.effects(call.arguments).writes)
        found = [f"{path} {what}" for path in writes if (what := steers(path))]
        if not found:
            return Verdict("allow")
        remedy = "change it in a separate call" if len(writes) > 1 else ""
        return Verdict("ask", "; ".join(found[:3]), person=True, remedy=remedy, held=(COPY,))


def steers(path: str) -> str:
    """Return a file's effect on other tools, such as `tells agents what to do`; empty for an ordinary file."""
    plain = "/".join(folded(part) for part in path.split("/") if part not in ("", "."))
    return next((what for what, pattern in _patterns() if pattern.search(plain)), "")


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (what, re.compile(rf"(?:^|/)(?:{'|'.join(map(_pattern, names.split()))})(?:/|$)"))
        for what, names in STEERING.items()
    )


def _pattern(name: str) -> str:
    """Return the pattern of a name, which also matches a folder above it if the path ends there."""
    first, _, rest = name.partition("/")
    own = re.escape(first.lower()).replace(r"\*", "[^/]*")
    return rf"{own}(?:$|/{_pattern(rest)})" if rest else own

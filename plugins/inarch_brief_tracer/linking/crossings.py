"""Calls between files of two import roots: how sure they can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarch_brief_tracer.facts.modules import shared_folders
from inarch_brief_tracer.linking.budget import EXACT, INFERRED, NAME
from inarch_brief_tracer.linking.values import File


def certainty(modules: Mapping[str, Sequence[File]], caller: File, callee: File) -> int:
    """Say how sure a call between two import roots can be: by name where the caller's own may be meant."""
    own = modules.get(callee.module.partition(".")[0], ())
    if any(file.root == caller.root for file in own) and not any(_is_extended(file) for file in own):
        return NAME  # a package of that name stands in the caller's own root, and hides the other
    rivals = modules.get(callee.module, ())
    if len(rivals) < 2:
        return EXACT
    mine = shared_folders(caller.path, callee.path)
    nearer = [file for file in rivals if file is not callee and shared_folders(caller.path, file.path) >= mine]
    return NAME if nearer else INFERRED


def _is_extended(file: File) -> bool:
    """Whether a package says that it goes on in other roots: `__path__ = extend_path(__path__, __name__)`."""
    return bool(file.scopes) and "__path__" in file.scopes[0].facts.bound

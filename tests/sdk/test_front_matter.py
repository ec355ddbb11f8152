from __future__ import annotations

import pytest

from inarch import ToolFailed, split_front_matter

ALIASES = "\n".join(["a0: &a0 [1]", *(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9))])
MERGED = "\n".join(["a0: &a0 {x: 1}", *(f"a{i}: &a{i} {{<<: [{','.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 9))])


@pytest.mark.parametrize(
    "head",
    [ALIASES, MERGED, ALIASES.replace("&a", "&-a").replace("*a", "*-a"), "a: &a [*a]", "a: " + "[" * 100 + "]" * 100],
    ids=["aliases", "merged", "other names", "in itself", "brackets"],
)
def test_a_few_characters_that_stand_for_very_much_are_refused(head: str) -> None:
    with pytest.raises(ToolFailed):
        split_front_matter(f"---\n{head}\n---\ntext")


def test_a_value_may_be_given_twice_by_an_alias_and_a_name_only_once() -> None:
    head, body = split_front_matter("---\na: &x {b: [1, 2]}\nc: *x\n---\ntext")
    assert (head, body) == ({"a": {"b": [1, 2]}, "c": {"b": [1, 2]}}, "text")
    with pytest.raises(ToolFailed, match=r"line 4: .* a twice"):
        split_front_matter("---\na: 1\nb: 2\na: 3\n---\n")

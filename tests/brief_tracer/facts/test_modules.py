"""Module names and roles follow from paths."""

from __future__ import annotations

import pytest

from inarch_brief.tracer.facts.modules import module_name, packages_of, role_of

PATHS = [
    "src/click/__init__.py",
    "src/click/core.py",
    "django/__init__.py",
    "django/db/__init__.py",
    "django/db/models.py",
    "tests/test_core.py",
    "src/space/pkg/__init__.py",
    "src/space/pkg/mod.py",
    "src/space/loose.py",
    "my-project/app/main.py",
    "repo-1/lib/__init__.py",
    "repo-1/lib/x.py",
    "setup.py",
    "__init__.py",
]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/click/core.py", "click.core"),
        ("src/click/__init__.py", "click"),
        ("django/db/models.py", "django.db.models"),
        ("tests/test_core.py", "tests.test_core"),
        ("src/space/pkg/mod.py", "space.pkg.mod"),
        ("src/space/loose.py", "space.loose"),
        ("my-project/app/main.py", "app.main"),
        ("repo-1/lib/x.py", "lib.x"),
        ("setup.py", "setup"),
        ("__init__.py", "__init__"),
    ],
)
def test_module_name(path: str, name: str) -> None:
    assert module_name(path, packages_of(PATHS)) == name


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("django/test/client.py", "code"),
        ("src/click/testing.py", "code"),
        ("tests/basic/models.py", "test"),
        ("pkg/tests/helpers.py", "test"),
        ("pkg/test_it.py", "test"),
        ("conftest.py", "test"),
        ("test/helpers.py", "test"),
        ("examples/one/app.py", "example"),
        ("docs/conf.py", "example"),
        ("pip/_vendor/rich/text.py", "vendored"),
        ("deps/yajl/parse.c", "vendored"),
        ("app/deps/login.py", "code"),
        ("src/3rdparty/zlib/inflate.c", "vendored"),
        ("src/schemas.d.ts", "vendored"),
        ("app/static/jquery.js", "vendored"),
        ("app/static/js/bootstrap-5.1.bundle.js", "vendored"),
        ("app/static/shop.js", "code"),
        ("src/vue.js", "code"),
        ("app/third_party/x.py", "vendored"),
        ("web/node_modules/ws/index.js", "vendored"),
        ("web/x.min.js", "vendored"),
        ("src/schemas.ts", "code"),
        ("src/pkg/examples/x.py", "code"),
    ],
)
def test_role(path: str, role: str) -> None:
    assert role_of(path) == role

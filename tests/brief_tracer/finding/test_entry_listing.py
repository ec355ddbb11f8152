"""Entry points of small projects of each kind."""

from __future__ import annotations

from typing import Any

import pytest


def found(tree: Any, kind: str = "all") -> dict[str, str]:
    return {entry["name"]: entry["qualname"] for entry in tree.ask("find_entry_points", kind=kind)["entries"]}


def test_scripts_of_pyproject_lead_to_their_function(tree: Any) -> None:
    tree.write(
        {
            "pyproject.toml": (
                '[project.scripts]\nshop = "shop.cli:main"\n[project.gui-scripts]\nwin = "shop:gone"\n'
                '[project.entry-points."shop.plugins"]\napples = "shop.apples"\n'
            ),
            "src/shop/__init__.py": "",
            "src/shop/cli.py": "from shop.core import main\n",
            "src/shop/core.py": "\ndef main(): pass\n",
        }
    )
    entries = {entry["name"]: entry for entry in tree.ask("find_entry_points", kind="script")["entries"]}
    assert (entries["shop"]["qualname"], entries["shop"]["file"], entries["shop"]["line"]) == (
        "shop.core.main",
        "src/shop/core.py",
        2,
    )
    assert entries["shop"]["how"] == "console script in pyproject.toml:2"
    assert entries["win"]["qualname"] == "shop.gone" and entries["win"]["file"] == "pyproject.toml"
    assert entries["apples"]["how"].startswith("entry point shop.plugins")


def test_scripts_of_setup_cfg_and_setup_py(tree: Any) -> None:
    tree.write(
        {
            "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    one = shop:one\n",
            "setup.py": "from setuptools import setup\nsetup(entry_points={'console_scripts': ['two = shop:two']})\n",
            "shop.py": "def one(): pass\ndef two(): pass\n",
        }
    )
    assert found(tree, "script") == {"one": "shop.one", "two": "shop.two"}


@pytest.mark.parametrize("content", [b"[project\n", b"\xff\xfe", b"[project]\nscripts = 3\n", b"project = []\n"])
def test_broken_manifests_are_said(tree: Any, content: bytes) -> None:
    tree.write({"pyproject.toml": content, "a.py": "if __name__ == '__main__':\n    pass\n"})
    assert found(tree)["python a.py"] == "a"


def test_main_modules_and_blocks(tree: Any) -> None:
    tree.write(
        {
            "shop/__init__.py": "",
            "shop/__main__.py": "run()\n",
            "core/till/__init__.py": "",
            "core/till/__main__.py": "",
            "tool.py": 'if __name__ == "__main__":\n    x()\n',
        }
    )
    assert found(tree, "main") == {
        "python -m shop": "shop.__main__",
        "python -m till": "till.__main__",
        "python tool.py": "tool",
    }


def test_click_and_typer_commands_with_their_groups(tree: Any) -> None:
    tree.write(
        {
            "pyproject.toml": '[project.scripts]\nshop = "shop:cli"\n',
            "shop.py": (
                "import click\n\n@click.group()\ndef cli(): pass\n\n@cli.command()\ndef buy_now(): pass\n\n"
                "@cli.command('sell')\ndef sell_it(): pass\n\n@cli.group\ndef stock(): pass\n\n"
                "@stock.command(name='list')\ndef list_(): pass\n\n@click.command\ndef alone(): pass\n"
            ),
            "kiosk.py": "import typer\napp = typer.Typer()\n\n@app.command()\ndef open_it(): pass\n",
        }
    )
    assert found(tree, "command") == {
        "shop": "shop.cli",
        "shop buy-now": "shop.buy_now",
        "shop sell": "shop.sell_it",
        "shop stock": "shop.stock",
        "shop stock list": "shop.list_",
        "alone": "shop.alone",
        "open-it": "kiosk.open_it",
    }


def test_a_decorator_counts_only_where_a_library_of_commands_is_behind_it(tree: Any) -> None:
    tree.write(
        {
            "pieces.py": (
                "from rich.console import group\nfrom click import command\nimport rich_click as rc\n\n"
                "@group()\ndef stack(): pass\n\n@command()\ndef bare(): pass\n\n"
                "@rc.command()\ndef rich_one(): pass\n\n"
                "@bot.command()\ndef chatted(): pass\n\n@bot.group()\ndef talk(): pass\n\n"
                "@talk.command()\ndef chatted_too(): pass\n"
            ),
            "made.py": (
                "import click\nfrom flask import Flask\nweb = Flask(__name__)\n\nclass Own(click.Group): pass\n\n"
                "own = Own()\n\n@own.command()\ndef first(): pass\n\n@web.cli.command('seed')\ndef seed(): pass\n"
            ),
            "far.py": "from made import own\n\n@own.command()\ndef second(): '''Do it. Now.'''\n",
        }
    )
    assert found(tree, "command") == {
        "bare": "pieces.bare",
        "rich-one": "pieces.rich_one",
        "first": "made.first",
        "seed": "made.seed",
        "second": "far.second",
    }
    docs = {entry["name"]: entry["doc"] for entry in tree.ask("find_entry_points", kind="command")["entries"]}
    assert docs["second"] == "Do it." and docs["seed"] == ""


def test_argparse_commands(tree: Any) -> None:
    tree.write(
        {
            "a.py": "import argparse\ndef main():\n    p = argparse.ArgumentParser(prog='shop')\n"
            "    sub = p.add_subparsers()\n    sub.add_parser('buy', help='x')\n"
        }
    )
    assert found(tree, "command") == {"shop": "a.main", "buy": "a.main"}


def test_routes_of_flask_fastapi_starlette_and_django(tree: Any) -> None:
    tree.write(
        {
            "web.py": (
                "@app.route('/')\ndef index(): pass\n\n@bp.route('/buy', methods=['POST', 'GET'])\ndef buy(): pass\n\n"
                "@api.get('/apples/{id}')\nasync def apples(): pass\n\n"
                "@api.websocket('/live')\nasync def live(): pass\n\n"
                "def raw(): pass\napp.add_url_rule('/raw', view_func=raw)\nroutes = [Route('/old', raw)]\n"
                "cache.get('key')\n@registry.get('name')\ndef not_a_route(): pass\n"
            ),
            "site/urls.py": (
                "from django.urls import include, path, re_path\nfrom site import views\n"
                "urlpatterns = [path('cart/', views.cart), re_path(r'^x$', views.Till.as_view()), "
                "path('a/', include('b'))]\n"
            ),
            "site/views.py": "def cart(request): pass\nclass Till: pass\n",
            "site/__init__.py": "",
        }
    )
    assert found(tree, "route") == {
        "/cart/": "site.views.cart",
        "/^x$": "site.views.Till",
        "GET /": "web.index",
        "GET /buy": "web.buy",
        "POST /buy": "web.buy",
        "GET /apples/{id}": "web.apples",
        "WS /live": "web.live",
        "GET /raw": "web.raw",
        "GET /old": "web.raw",
    }


def test_django_management_commands(tree: Any) -> None:
    base = "shop/management/commands"
    tree.write({f"{base}/restock.py": "class Command(BaseCommand):\n    def handle(self): pass\n"})
    assert found(tree, "command") == {"manage.py restock": "shop.management.commands.restock.Command"}


def test_tests_are_counted_per_file(tree: Any) -> None:
    tree.write(
        {"tests/test_a.py": "def test_x(): pass\nclass TestY:\n    def test_z(self): pass\n", "tests/helper.py": ""}
    )
    (entry,) = tree.ask("find_entry_points", kind="test")["entries"]
    assert entry["file"] == "tests/test_a.py" and entry["how"] == "2 tests"


def test_routes_have_the_prefix_that_their_router_is_mounted_under(tree: Any, linking: Any) -> None:
    tree.write(
        {
            "shop/__init__.py": "",
            "shop/items.py": (
                "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n\n"
                "@router.get('/{key}')\ndef show(key): pass\n\n@router.get('')\ndef every(): pass\n"
            ),
            "shop/pages.py": (
                "from flask import Blueprint\nbp = Blueprint('pages', __name__, url_prefix='/q')\n\n"
                "@bp.route('/')\ndef home(): pass\n"
            ),
            "shop/main.py": (
                "from fastapi import FastAPI\nfrom shop import items\nfrom shop.pages import bp\napp = FastAPI()\n"
                "app.include_router(items.router, prefix='/api')\nsite.register_blueprint(bp, url_prefix='/p')\n\n"
                "@app.get('/own')\ndef own(): pass\n"
            ),
        }
    )
    routes = {
        "GET /api/items/{key}": "shop.items.show",
        "GET /api/items": "shop.items.every",
        "GET /p": "shop.pages.home",
        "GET /own": "shop.main.own",
    }
    assert found(tree, "route") == routes
    assert routes.items() <= found(tree).items()
    with linking().graph() as (graph, _):
        gates = [gate for gates in graph.adjacency.gates.values() for gate in gates]
        assert {gate.name for gate in gates} == routes.keys()


@pytest.mark.parametrize(
    ("base", "method"),
    [("logging.Handler", "emit"), ("threading.Thread", "run"), ("ast.NodeVisitor", "visit_Name"), ("cmd.Cmd", "do_x")],
)
def test_what_a_library_calls_of_a_class_is_an_entry(tree: Any, base: str, method: str) -> None:
    tree.write(
        {
            "own.py": (
                f"import {base.partition('.')[0]}\n\n\nclass Base({base}):\n    def {method}(self, *given): pass\n\n"
                f"    def other(self): pass\n\n\nclass Further(Base):\n    def {method}(self, *given): pass\n"
            )
        }
    )
    assert found(tree, "hook") == {name: f"own.{name}" for name in (f"Base.{method}", f"Further.{method}")}

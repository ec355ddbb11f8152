"""Former names of modules: top-level packages of version 0.1, importable for one release with a warning.

It also maps the name under which plugins know a library that the kernel itself does not need.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's costs as much as the rest of `inarch --version`
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_PRESENT = ("inarch_brief", "inarch_lib", "inarch_plugins", "inarch_sdk", "inarch_testing")
_LENT = {
    "inarch.capabilities": "inarch.contract.capabilities",
    "inarch.confinement": "inarch_lib.confinement",
    "inarch.figures": "inarch_sdk.figures",
    "inarch.hosts": "inarch_lib.confinement.hosts",
    "inarch.sessions.replay": "inarch_plugins.replay",
    "inarch.staging": "inarch_lib.staging",
    "inarch.testing": "inarch_testing",
    "inarch.testing.stores": "inarch_sdk.memory_store",
}
"""Names that stay."""
_MEMBERS = {
    "NeedsShell": "inarch.command_lines",
    "PriceTable": "inarch_sdk.prices",
    "ProposedModel": "inarch_sdk.model_table",
    "is_dotenv": "inarch_lib.secrets.dotenv",
    "keep_former": "inarch.staging",
    "openapi_parameters": "inarch_lib.schemas.openapi",
    "reference_fault": "inarch_lib.schemas.validation",
    "repair_arguments": "inarch_lib.schemas.repair",
    "split_command": "inarch.command_lines",
}
"""Present locations of names of `inarch`."""


def home_of(name: str) -> dict[str, str]:
    """Return the module of a former name of `inarch` by the name, with a warning; empty for any other name."""
    if name not in _MEMBERS:
        return {}
    import warnings

    warnings.warn(f"inarch.{name} is now in {_MEMBERS[name]}", DeprecationWarning, stacklevel=3)
    return {name: _MEMBERS[name]}


class _Alias:
    """Loader that returns the present module for a former name."""

    def __init__(self, present: str) -> None:
        self.present = present
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module of the present name."""
        from importlib import import_module

        if spec.name not in _LENT:
            import warnings

            warnings.warn(f"{spec.name} is now {self.present}", DeprecationWarning, stacklevel=2)
        module = import_module(self.present)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own spec: it has run already."""
        module.__spec__ = self.spec


class FormerNames:
    """Finder of modules under their former names; it must precede path finders, which would load parts twice."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module that has moved."""
        top, dot, rest = name.partition(".")
        if name not in _LENT and (not top.startswith("inarch_") or top in _PRESENT):
            return None
        from importlib import import_module
        from importlib.machinery import ModuleSpec

        if name in _LENT:
            return ModuleSpec(name, _Alias(_LENT[name]))  # type: ignore[arg-type]

        try:  # the table is beside the plugins: the kernel names none
            present = import_module("inarch_plugins").FORMER.get(top)
        except ImportError:
            return None
        return None if present is None else ModuleSpec(name, _Alias(f"{present}{dot}{rest}"))  # type: ignore[arg-type]


def install() -> None:
    """Install the finder."""
    if not any(isinstance(finder, FormerNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, FormerNames())

"""Every test has a home of its own: none touches the configuration, state or caches of the person who runs it."""

import ctypes
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from hypothesis import settings

# No test asserts a time. In `tox` the examples are the same each time: a landing is no place for a discovery. The daily
# run has a quarter of hypothesis' own number, `tox -m rest` all of them; a test that wants more or fewer multiplies.
for name, examples in (("daily", 25), ("long", 100)):
    settings.register_profile(name, deadline=None, derandomize="TOX_ENV_NAME" in os.environ, max_examples=examples)
settings.load_profile("daily")

# Whoever started the tests in the background or under nohup had them ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = Path(mkdtemp(dir=homes))  # `mktemp` of pytest looks through all that were made before
    monkeypatch.setenv("HOME", str(home))
    for name in ("CONFIG", "STATE", "CACHE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in ("GEMINI_API_KEY", "OPENROUTER_API_KEY", "INARCH_PROFILE", "INARCH_CONFIG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where the system has such: for tests that bring little files to disk thousands of times."""
    memory = Path("/dev/shm")
    if not (memory.is_dir() and os.access(memory, os.W_OK) and disk_usage(memory).free > MUCH):
        yield tmp_path
        return
    with TemporaryDirectory(dir=memory, prefix="inarch-test-") as folder:
        yield Path(folder)


MUCH = 48 << 20
PASSING_OVER_PERMISSIONS = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: linux/capability.h


@pytest.fixture
def permissions_count() -> Iterator[None]:
    """Make permissions count for root, too: this thread and those it starts give up what passes over them."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this thread
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice, for 64 bits
    assert libc.capget(header, sets) == 0, os.strerror(ctypes.get_errno())
    effective = sets[0]
    sets[0] = effective & ~PASSING_OVER_PERMISSIONS
    assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(header, sets) == 0, os.strerror(ctypes.get_errno())

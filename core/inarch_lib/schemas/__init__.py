"""JSON Schemas from any source: checked fast and within bounds, self-contained, shortened for models.

Schemas of tools from other servers or processes are not trusted, and nearly all calls are valid. `fastcheck` accepts
calls that are surely valid. `bounded` decides the rest with jsonschema and always ends. `repair` corrects the usual
mistakes of models in form, `validation` describes all others. `openapi` converts a schema for services that support
only a part of JSON Schema. This package does not depend on Inarch.
"""

"""JSON Schemas, whoever wrote them: checked fast, checked within bounds, closed in themselves, told in few words.

A tool of another server or process is taken at nobody's word, and nearly all calls are valid: `fastcheck` says yes at
once where it is sure, `bounded` decides the rest with jsonschema and ends in any case. `repair` mends what models get
wrong in form, `checking` says what else is wrong. `openapi` says a schema in the words of services that know a part of
JSON Schema only. Nothing in here knows Inarch.
"""

"""What comes with Inarch keeps to what is asked of every exporter."""

from __future__ import annotations

import inarch
from inarch.testing import ExporterContract

from .written import EXPORTERS


class TestHtml(ExporterContract):
    def make(self) -> inarch.Exporter:
        return EXPORTERS["html"]


class TestMarkdown(ExporterContract):
    def make(self) -> inarch.Exporter:
        return EXPORTERS["markdown"]


class TestJsonLines(ExporterContract):
    def make(self) -> inarch.Exporter:
        return EXPORTERS["jsonl"]


class TestAtif(ExporterContract):
    def make(self) -> inarch.Exporter:
        return EXPORTERS["atif"]

"""Plugins in processes of their own: `[isolation.NAME] mode = "process"`.

The module of such a plugin is never imported here. A child confines itself to the rights of the table, imports it and
describes what it registers; proxies stand for that in the composition.
"""

from __future__ import annotations

from inarch.plugins.isolation.hosts import Hosts

__all__ = ["Hosts"]

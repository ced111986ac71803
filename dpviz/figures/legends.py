"""The legend beneath a chart with many names: as many beside each other as the width allows, on a phone one."""

from __future__ import annotations

BENEATH = {"orientation": "h", "y": -0.27, "yanchor": "top", "x": 0, "itemwidth": 30, "font": {"size": 11}}

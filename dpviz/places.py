"""Where the files that travel with the package are: the dashboard, its pages and the examples."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "dashboard"  # where a wheel puts them
ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
"""The folder of app.py, pages and examples: that of a checkout, or one within the installed package."""
GIVEN = "DPVIZ_PLAN"
"""The variable of the environment that names the file of the plan which the dashboard shows first."""

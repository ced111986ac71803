"""``python -m dpviz``: see `dpviz.report.command_line`."""

from dpviz.report.command_line import main

if __name__ == "__main__":
    raise SystemExit(main())

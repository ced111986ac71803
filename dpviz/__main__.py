"""``python -m dpviz``: see `dpviz.cli.command_line`."""

from dpviz.cli.command_line import main

if __name__ == "__main__":
    raise SystemExit(main())

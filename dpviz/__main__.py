"""``python -m dpviz``: see `dpviz.command_line`."""

from dpviz.command_line import main

if __name__ == "__main__":
    raise SystemExit(main())

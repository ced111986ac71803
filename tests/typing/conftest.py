"""The files here are read by a type checker, never run."""

collect_ignore_glob = ["*_use.py"]

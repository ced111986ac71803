"""How far a job is, on the error stream: one line that changes on a terminal, a few lines elsewhere."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TextIO

from dpviz.jobs import Job

LINES = 10  # in a log, for a whole job


class Progress:
    """Tell a stream how far jobs are; a stream that cannot be written to is told nothing.

    Parameters
    ----------
    stream : text file
    clock : callable
        Seconds.

    Examples
    --------
    >>> import sys
    >>> Progress(sys.stdout)(Job("plans", "", 4, str, max, 2000), 500)
    500 of 2,000 plans, 25 %
    """

    def __init__(self, stream: TextIO, clock: object = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._updates = not stream.closed and stream.isatty()
        self._job: str | None = None
        self._began, self._first, self._told = 0.0, 0, -1

    def __call__(self, job: Job, done: int) -> None:
        """Tell how much of a job is done."""
        if job.name != self._job:
            self._job, self._began, self._first, self._told = job.name, self._clock(), done, -1
        share = done / job.size if job.size else 1.0
        line = f"{done:,} of {job.size:,} {job.name}, {share:.0%}".replace("%", " %") + self._left(job, done)
        if self._updates:
            self._write(f"\r{line:<70}" + ("\n" if done >= job.size else ""))
        elif int(share * LINES) > self._told:
            self._told = int(share * LINES)
            self._write(line + "\n")

    def _left(self, job: Job, done: int) -> str:
        """How long the rest takes at the pace so far."""
        if done in (self._first, job.size):
            return ""
        seconds = (self._clock() - self._began) * (job.size - done) / (done - self._first)
        return f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", about {seconds:.0f} s left"

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()

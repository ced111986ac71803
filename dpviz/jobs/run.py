"""The one seam between jobs and what plays them: joblib, in this process, on all cores, or on the workers of a cluster.

A job is cut into tasks before it starts, by what is asked alone; what a task answers depends on its number alone, and
answers are merged in a way that does not care for their order. So every backend gives the same result, bit for bit.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path
from threading import current_thread, main_thread

from dpviz.parameters import Parameter

WORKERS = Parameter("workers", "", "processes that share the tasks", 1, 1024, integer=True)
PATIENCE = 10  # seconds until a scheduler that does not answer is given up
_FORMAT = 1


@dataclass(frozen=True)
class Job:
    """Work that is cut into tasks.

    Parameters
    ----------
    name : str
        What is counted, in the plural.
    key : str
        Everything the answers depend on, as a digest: a job with another key never takes over their state.
    tasks : int
    play : callable
        ``play(task)`` for a number from 0: what JSON can hold. It is sent to other processes.
    merge : callable
        ``merge(so_far, answer)``, so_far None at first; in any order of the answers the same in the end.
    size : int
        How many things all tasks together work on, for the progress.
    """

    name: str
    key: str
    tasks: int
    play: Callable[[int], object]
    merge: Callable[[object, object], object]
    size: int


class Stopped(KeyboardInterrupt):
    """Somebody stopped a job; its message says how it goes on."""


@dataclass(frozen=True)
class Runner:
    """Who plays the tasks of jobs, and what is told and kept meanwhile.

    Parameters
    ----------
    workers : int, optional
        Processes, in [1, 1024]; 1 is this one alone, None as many as there are cores (of a cluster: all it has).
    address : str, optional
        Of the scheduler of a Dask cluster, which then plays, such as ``tcp://10.0.0.1:8786``.
    state : path, optional
        The file that keeps what is done until all is done; where it exists, the job goes on from there.
    told : callable, optional
        ``told(job, done)`` after every task, and before the first.
    """

    workers: int | None = 1
    address: str | None = None
    state: str | os.PathLike[str] | None = None
    told: Callable[[Job, int], None] | None = None

    def run(self, job: Job, kept: bool = True) -> object:
        """Play all tasks and return what their answers merge to.

        Parameters
        ----------
        job : Job
        kept : bool
            Whether its state is kept, where the runner has a file for one.

        Raises
        ------
        ValueError
            When the state is that of another job, or the cluster cannot be reached.
        Stopped
            When it was interrupted.

        Examples
        --------
        >>> Runner().run(Job("squares", "", 4, lambda task: task**2, lambda so_far, answer: (so_far or 0) + answer, 4))
        14
        """
        done, result = self._found(job) if kept else (set(), None)
        self._tell(job, done)
        left = [task for task in range(job.tasks) if task not in done]
        try:
            for task, answer in self._answers(job, left):
                done.add(task)
                result = job.merge(result, answer)
                if kept:
                    self._keep(job, done, result)
                self._tell(job, done)
        except KeyboardInterrupt:
            goes_on = f"; the same command goes on from {self.state}" if self.state and kept else ""
            raise Stopped(f"stopped after {len(done):,} of {job.tasks:,} tasks{goes_on}") from None
        return result

    def finished(self) -> None:
        """Remove the state: its job is done, and its result is written."""
        if self.state:
            Path(self.state).unlink(missing_ok=True)

    def _tell(self, job: Job, done: set[int]) -> None:
        if self.told:
            self.told(job, len(done) * job.size // max(job.tasks, 1))

    def _answers(self, job: Job, left: list[int]) -> Iterator[tuple[int, object]]:
        """The tasks with their answers, as they come."""
        if not left:
            return
        import joblib

        with self._backend():
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
            deaf = not self.address and self.workers != 1
            answers = parallel(joblib.delayed(_played)(job.play, task, deaf) for task in left)
            try:
                with _pressed() as pressed:
                    for answer in answers:
                        yield answer
                        if pressed:
                            raise KeyboardInterrupt
            finally:
                answers.close()

    @contextmanager
    def _backend(self) -> Iterator[None]:
        import joblib

        if self.address:
            with _client(self.address) as client, joblib.parallel_config("dask", client=client):
                yield
            return
        workers = joblib.cpu_count() if self.workers is None else WORKERS.check(self.workers)
        with joblib.parallel_config("sequential" if workers == 1 else "loky", n_jobs=workers):
            yield

    def _found(self, job: Job) -> tuple[set[int], object]:
        """What is done already, and its result."""
        if not self.state or not Path(self.state).exists():
            return set(), None
        try:
            kept = json.loads(Path(self.state).read_text(encoding="utf-8"))
            version, key, done, result = (kept[name] for name in ("dpviz_job", "key", "done", "result"))
            done = set(done)
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"state must be what a stopped job left ({error}); got {str(self.state)!r}") from None
        if (version, key) != (_FORMAT, job.key):
            raise ValueError(
                f"state must be that of the same job; {str(self.state)!r} was left by another plan, grid, setting or "
                "version: remove it to start afresh"
            )
        if not done <= set(range(job.tasks)):
            raise ValueError(f"state must hold tasks of the job; {str(self.state)!r} is damaged: remove it")
        return done, result

    def _keep(self, job: Job, done: set[int], result: object) -> None:
        """Write the state whole or not at all."""
        if not self.state:
            return
        content = {"dpviz_job": _FORMAT, "key": job.key, "done": sorted(done), "result": result}
        written(self.state, json.dumps(content), "state")


def written(path: str | os.PathLike[str], text: str, name: str = "output") -> None:
    """Write a file whole or not at all: beside its place first, then moved there; a device or a pipe is written to.

    Raises
    ------
    ValueError
        When it cannot be written.

    Examples
    --------
    >>> written("/", "text")
    Traceback (most recent call last):
        ...
    ValueError: output must be a file that can be written (Is a directory); got '/'
    """
    beside = Path(f"{os.fspath(path)}.{os.getpid()}.tmp")
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(21, "Is a directory")
        if Path(path).exists() and not Path(path).is_file():
            Path(path).write_text(text, encoding="utf-8", newline="\n")
            return
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"{name} must be a file that can be written ({reason}); got {os.fspath(path)!r}") from None


@contextmanager
def _pressed() -> Iterator[list[int]]:
    """Signals of Ctrl-C so far: Python drops the exception where it meets a destructor or a callback."""
    pressed: list[int] = []
    if current_thread() is not main_thread():
        yield pressed
        return

    def note(number: int, _: object) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, former)


def _played(play: Callable[[int], object], task: int, deaf: bool) -> tuple[int, object]:
    """One task; a process of ours leaves Ctrl-C, which a terminal sends to all, to the one that started it."""
    if deaf and parent_process() is not None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return task, play(task)


@contextmanager
def _client(address: str) -> Iterator[object]:
    """A client of the cluster at an address."""
    try:
        from dask.distributed import Client
    except ImportError:
        raise ValueError('a Dask cluster needs Dask: pip install "dpviz[dask]"') from None
    try:
        _reached(address)
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0][:100]
        raise ValueError(f"address must be that of a Dask scheduler that answers ({reason}); got {address!r}") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise ValueError(f"address must be that of a Dask scheduler with workers; the one at {address!r} has none")
        yield client


def _reached(address: str) -> None:
    """Fail at once where nobody listens: a client that gave up would go on trying when the program ends."""
    from distributed.comm import get_address_host_port

    if not address.startswith(("tcp://", "tls://")):
        raise ValueError("it begins with tcp:// or tls://")
    socket.create_connection(get_address_host_port(address, strict=True), PATIENCE).close()

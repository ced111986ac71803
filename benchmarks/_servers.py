"""One process of the dashboard, or several behind HAProxy as in `deploy/`, and what they take of the machine."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("first", "second")  # of the processes, in deploy/haproxy.cfg
HAPROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
PATIENCE = 60  # seconds until a server counts as one that did not start


@dataclass
class Servers:
    """Processes, the port at which visitors reach them, and the logs that they write."""

    port: int
    processes: list
    logs: list

    def log(self):
        return "".join(path.read_text(errors="replace") for path in self.logs)

    def ended(self):
        return sum(process.poll() is not None for process in self.processes)

    def busy(self):
        """Seconds of processor time that the processes have taken."""
        return sum(processor_time(process.pid) for process in self.processes)

    def memory(self):
        """MB that the processes hold."""
        return sum(resident(process.pid) for process in self.processes)


@contextlib.contextmanager
def serving(number, folder):
    """Run so many processes until the block ends, behind HAProxy where they are more than one."""
    with contextlib.ExitStack() as ends:
        ports = [free_port() for _ in range(number)]
        logs = [Path(folder) / f"log-{port}" for port in ports]
        processes = [ends.enter_context(dashboard(port, log)) for port, log in zip(ports, logs, strict=True)]
        port = ports[0] if number == 1 else ends.enter_context(balanced(ports, Path(folder) / "haproxy-log"))
        yield Servers(port, processes, logs)


@contextlib.contextmanager
def dashboard(port, log):
    """Run one process at a port."""
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"]
    command += ["--server.address", "localhost", "--server.port", str(port), "--server.fileWatcherType", "none"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    deployed = dict(re.findall(r"\b(MALLOC_\w+)=(\d+)", (ROOT / "deploy" / "Containerfile").read_text()))
    environment = deployed | environment | {"PYTHONPATH": str(ROOT)}
    environment |= {"STREAMLIT_SERVER_COOKIE_SECRET": "of a benchmark, and of no server"}
    with running(command, environment, log, port) as process:
        yield process


@contextlib.contextmanager
def balanced(ports, log):
    """Run HAProxy in front of two ports, and give its own."""
    port = free_port()
    environment = {f"DPVIZ_{name.upper()}": f"localhost:{each}" for name, each in zip(NAMES, ports, strict=True)}
    command = [HAPROXY, "-db", "-f", str(ROOT / "deploy" / "haproxy.cfg")]
    with running(command, {**environment, "DPVIZ_LISTEN": f"localhost:{port}"}, log, port):
        yield port


@contextlib.contextmanager
def running(command, environment, log, port):
    """Run a command until the block ends, which begins when the port answers."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        wait(process, f"http://localhost:{port}/_stcore/health")
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait(process, url):
    """Wait until the server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.1)
    raise RuntimeError("the server did not start")


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def processor_time(pid):
    """Seconds of processor time that a process has taken; 0 where the system does not tell."""
    path = Path(f"/proc/{pid}/stat")
    if not path.exists():
        return 0.0
    user, system = path.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    """MB that a process holds; 0 where the system does not tell."""
    path = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+) kB", path.read_text()) if path.exists() else None
    return int(found[1]) / 1000 if found else 0.0

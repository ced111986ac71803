"""The files of ``deploy/``: HAProxy takes its configuration in every shape, and the files agree with their page."""

import contextlib
import http.server
import os
import re
import shutil
import socket
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
FILES = ("haproxy.cfg", "compose.yaml", "Containerfile", "database.sh")
HAPROXY = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
REPLICAS = ("127.0.0.1", "127.0.0.2")
PATIENCE = 60  # seconds until a wait is a hang

needs_haproxy = pytest.mark.skipif(HAPROXY is None, reason="HAProxy is not installed")


@needs_haproxy
@pytest.mark.parametrize("shape", ["compose", "two processes", "base path", "HTTPS"])
def test_haproxy_accepts_its_configuration(tmp_path: Path, shape: str):
    """In each of its shapes, without a warning."""
    environment = {"compose": {}, "two processes": {"DPVIZ_FIRST": "localhost:8501", "DPVIZ_SECOND": "localhost:8502"}}
    environment |= {"base path": {"DPVIZ_BASE": "/dpviz"}, "HTTPS": {"DPVIZ_CERTIFICATE": str(tmp_path / "both.pem")}}
    if shape == "HTTPS":
        certify(tmp_path)
    command = [HAPROXY, "-c", "-f", DEPLOY / "haproxy.cfg"]
    run = subprocess.run(command, env=environment[shape], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "[WARNING]" not in run.stderr and "[ALERT]" not in run.stderr, run.stderr


def certify(folder: Path) -> None:
    """Make a certificate with its key in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    command += ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "both.pem").write_text("".join((folder / name).read_text() for name in ("key.pem", "certificate.pem")))


class Named(http.server.BaseHTTPRequestHandler):
    """A replica that answers every request with its own address."""

    def do_GET(self) -> None:
        text = self.server.server_address[0].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def answered(question: bytes) -> bytes:
    """The answer of a name server that knows both replicas by whatever name."""
    end = question.index(b"\0", 12) + 5  # of name, type and class
    wants_address = question[end - 4 : end - 2] == b"\0\1"
    found = [b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(each) for each in REPLICAS if wants_address]
    return question[:2] + b"\x81\x80" + struct.pack(">4H", 1, len(found), 0, 0) + question[12:end] + b"".join(found)


@contextlib.contextmanager
def named() -> Iterator[str]:
    """A name server on this machine; gives its address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    question, asker = server.recvfrom(4096)
                    server.sendto(answered(question), asker)

        threading.Thread(target=serve, daemon=True).start()
        yield "{}:{}".format(*server.getsockname())


@contextlib.contextmanager
def replicas() -> Iterator[tuple[int, list[http.server.HTTPServer]]]:
    """Two servers at one port of two addresses of this machine, as containers have them; gives port and servers."""
    with contextlib.ExitStack() as ends:
        servers = []
        try:
            for address in REPLICAS:
                port = servers[0].server_port if servers else 0
                servers.append(ends.enter_context(http.server.ThreadingHTTPServer((address, port), Named)))
        except OSError:
            pytest.skip(f"this machine does not have the addresses {REPLICAS}, or the second has the port in use")
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            ends.callback(server.shutdown)
        yield servers[0].server_port, servers


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def reached(url: str, cookie: str = "") -> tuple[str, str]:
    """Which replica answers, and the cookie that it comes with; neither while none does."""
    request = urllib.request.Request(url, headers={"Cookie": cookie} if cookie else {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode(), (answer.headers["Set-Cookie"] or "").partition(";")[0]
    except (urllib.error.URLError, OSError):
        return "", ""


@needs_haproxy
def test_replicas_are_found_by_their_name():
    """As in compose: HAProxy asks a name server, comes to every replica, and the cookie leads back to the same one."""
    port = free_port()
    with contextlib.ExitStack() as ends:
        names = ends.enter_context(named())
        at, servers = ends.enter_context(replicas())
        environment = {"DPVIZ_LISTEN": f"localhost:{port}", "DPVIZ_DNS": names, "DPVIZ_REPLICAS": f"dashboard:{at}"}
        command = [HAPROXY, "-db", "-f", DEPLOY / "haproxy.cfg"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = ends.enter_context(subprocess.Popen(command, env=environment, **quiet))
        ends.callback(process.terminate)
        cookies, end = {}, time.monotonic() + PATIENCE
        while len(cookies) < len(REPLICAS) and time.monotonic() < end:
            address, cookie = reached(f"http://localhost:{port}/")
            if address:
                cookies[address] = cookie
            time.sleep(0.05)
        assert set(cookies) == set(REPLICAS)
        for address, cookie in cookies.items():
            assert [reached(f"http://localhost:{port}/", cookie)[0] for _ in range(4)] == [address] * 4
        servers[0].shutdown()
        servers[0].server_close()
        assert reached(f"http://localhost:{port}/", cookies[REPLICAS[0]])[0] == REPLICAS[1]


def test_the_dashboard_waits_for_its_database():
    """Which is healthy first, keeps its data, has a password that somebody set, and is reached from nowhere else."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    database, dashboard = services["services"]["database"], services["services"]["dashboard"]
    assert dashboard["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert dashboard["environment"]["DPVIZ_DATABASE"].startswith("postgresql://dpviz:${DPVIZ_DATABASE_PASSWORD:?")
    assert "pg_isready" in database["healthcheck"]["test"] and "ports" not in database
    volume, script = (each.split(":")[0] for each in database["volumes"])
    assert volume in services["volumes"] and (DEPLOY / script).exists()


def test_the_files_agree():
    """The image gets what the dashboard reads; every variable of the files is named on the page about hosting."""
    texts = {name: (DEPLOY / name).read_text(encoding="utf-8") for name in FILES}
    copied = re.findall(r"^COPY (\S+)", texts["Containerfile"], re.MULTILINE)
    assert copied == ["pyproject.toml", "app.py", ".streamlit", "dpviz", "examples", "pages"]
    assert all((ROOT / name).exists() for name in copied)
    variables = {name for text in texts.values() for name in re.findall(r"\b(?:DPVIZ|MALLOC)_[A-Z_]+", text)}
    assert "MALLOC_ARENA_MAX" in variables
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    assert not {name for name in variables if f"`{name}`" not in page}

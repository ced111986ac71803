"""Sessions of the dashboard without a browser: they learn the widgets of a page from the answer, and use them."""

import asyncio
import re
import time
import urllib.parse
import urllib.request
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import ClassVar

from _widget_states import (
    EXAMPLES,
    FIELD,
    FILE_NAMES,
    FILES,
    HEAVY,
    NUMBERS,
    OTHER_NAMES,
    RIGHT_FILES,
    RIGHT_TOKENS,
    SPECIMENS,
    TEXTS,
    TOKENS,
    Widget,
    crafted,
    excessive,
    specimen,
    spotted,
    state,
    valid,
)
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

PATIENCE = 30  # seconds until a rerun counts as unanswered
SLOWEST = 5  # reruns that are told of one by one
KEPT = 32  # large messages that a browser keeps, so that they are not sent again


@dataclass
class Tally:
    """What the visitors of one server saw."""

    latencies: dict = field(default_factory=lambda: defaultdict(list))
    slowest: list = field(default_factory=list)  # milliseconds, page and what was done
    counts: Counter = field(default_factory=Counter)
    deeds: dict = field(default_factory=dict)  # id of an error: whether a forger saw it, and after doing what
    memory: list = field(default_factory=list)  # seconds, MB
    busy: float = 0.0  # seconds of processor time
    asked: list = field(default_factory=list)  # milliseconds until the server said that it is in good health
    log: str = ""


class Visitor:
    """One session: what it sees of the page, and what it does to it, as somebody who means harm.

    Widgets of a forger also get values of other types than their own, and it invents widgets and pages: no browser can.
    """

    pause = 0.5, 1.5  # seconds from one deed to the next
    patience = PATIENCE
    deeds: ClassVar = {"set": 50, "exceed": 15, "readdress": 8, "turn": 12, "upload": 3, "download": 3, "flee": 4}
    forged: ClassVar = {"forge": 20, "invent": 10}
    files, tokens = FILES, TOKENS

    def __init__(self, port, rng, tally, forger=False):
        self.host, self.rng, self.tally, self.forger = f"localhost:{port}", rng, tally, forger
        self.session, self.socket, self.cookies, self.broken = None, None, {}, False
        self.page, self.pages, self.query = "", {}, ""
        self.widgets, self.tabs, self.kept = {}, {}, {}

    async def live(self, start, end):
        """Come at `start` and do one thing after the other until `end`; come again where the connection is lost."""
        await asyncio.sleep(start - time.monotonic())
        while time.monotonic() < end:
            try:
                if self.socket is None:
                    await self.come()
                else:
                    await self.act()
            except (TimeoutError, OSError, WebSocketException) as error:
                self.tally.counts["unanswered" if isinstance(error, TimeoutError) else "connections lost"] += 1
                await self.leave()
            start = max(start + self.rng.uniform(*self.pause), time.monotonic())
            await asyncio.sleep(start - time.monotonic())
        await self.leave()

    async def leave(self):
        if self.socket is not None:
            await self.socket.close()
        self.socket = None

    async def come(self):
        """Connect: as the session that was lost, or as a new one, often through a link that somebody made."""
        back = self.session is not None and self.rng.random() < 0.5
        protocols = ["streamlit", "none", *([self.session] if back else [])]
        if not self.cookies:
            await asyncio.to_thread(self.fetch, "/_stcore/health")
        self.socket = await connect(
            f"ws://{self.host}/_stcore/stream",
            subprotocols=protocols,
            origin=f"http://{self.host}",
            additional_headers=self.headers(),
            max_size=None,
        )
        if not back:
            self.widgets, self.kept = {}, {}
            self.query = self.address() if self.rng.random() < 0.5 else ""
            name = self.rng.choice([*self.pages, "nowhere", self.rng.choice(TEXTS)])
            self.page = name if name in self.pages else ""  # a page that is not there shows the first
            await self.rerun("deep link", name=name, hash="")
        else:
            await self.rerun("back")

    async def act(self):
        deeds = self.deeds | (self.forged if self.forger else {})
        await getattr(self, *self.rng.choices(list(deeds), deeds.values()))()

    async def set(self):
        """Use a widget or two, as a browser would."""
        usable = [each for each in self.widgets.values() if each.kind != "file_uploader"]
        chosen = self.rng.sample(usable, min(len(usable), self.rng.choice((1, 1, 2))))
        await self.rerun("set", [state(each.key, each.field, valid(self.rng, each)) for each in chosen], chosen)

    async def exceed(self):
        """Set widgets to values of their own type that they do not offer."""
        usable = [each for each in self.widgets.values() if each.field in SPECIMENS]
        chosen = self.rng.choices(usable, k=self.rng.choice((1, 1, 3))) if usable else []
        sent = [state(each.key, each.field, excessive(self.rng, each)) for each in chosen]
        await self.rerun("exceeded", sent, chosen)

    async def forge(self):
        """Set a widget to a value of any type, or to text that is not the table that its browser would send."""
        chosen = self.rng.sample(list(self.widgets.values()), min(1, len(self.widgets)))
        name = self.rng.choice(list(SPECIMENS))
        sent = [state(each.key, name, specimen(self.rng, name)) for each in chosen]
        await self.rerun(f"forged {name}", sent, chosen)

    async def invent(self):
        """Send widgets that are not there, or ask for a page that is not."""
        keys = [*TEXTS, "$$ID-00-eps", "plan", "past", "_shell"]
        names = self.rng.choices(list(SPECIMENS), k=self.rng.choice((0, 1, 20)))
        sent = [state(self.rng.choice(keys), name, specimen(self.rng, name)) for name in names]
        await self.rerun("invented", sent, hash=self.rng.choice(TEXTS) if self.rng.random() < 0.3 else None)

    async def readdress(self):
        """Change the address without leaving the page, as Back does."""
        self.query = self.address()
        await self.rerun("address", back=self.rng.random() < 0.5)

    def address(self):
        """A query string: parameters of the page, and others, set to whatever."""
        known = [each.parameter for each in self.widgets.values() if each.parameter]
        pairs = []
        for _ in range(self.rng.choice((0, 1, 2, 30))):
            value = self.rng.choice((*TEXTS, *map(str, NUMBERS)))
            pairs.append((self.rng.choice([*known, "example", "eps", "<b>"]), value))
        if self.rng.random() < 0.5:
            pairs.append(("plan", self.rng.choice(self.tokens)))
        return urllib.parse.urlencode(pairs) if self.rng.random() < 0.95 else "&&==%%%" + "?" * 1000

    async def turn(self):
        """Go to another page."""
        if not self.pages:
            return await self.set()
        self.page = self.rng.choice(list(self.pages))
        await self.rerun("turn", name=self.page)

    async def flee(self):
        """Leave, sometimes in the middle of a rerun."""
        if self.rng.random() < 0.5:
            await self.socket.send(self.asked([], "", None, False).SerializeToString())
        await self.leave()
        self.tally.counts["left"] += 1

    async def upload(self):
        """Hand a file to the page: a plan, or anything."""
        places = [each for each in self.widgets.values() if each.kind == "file_uploader"]
        if not places:
            return await self.set()
        place = self.rng.choice(places)
        admitted = [name for name in FILE_NAMES if name.lower().endswith(place.options or "")]  # browsers see to that
        name = self.rng.choice((*FILE_NAMES, *OTHER_NAMES) if self.forger else admitted)
        asked = BackMsg()
        asked.file_urls_request.request_id, asked.file_urls_request.session_id = "1", self.session
        asked.file_urls_request.file_names.append(name)
        await self.socket.send(asked.SerializeToString())
        (urls,) = (await self.hear("file_urls_response")).file_urls_response.file_urls
        content = self.rng.choice(self.files)
        taken = await asyncio.to_thread(self.put, urls.upload_url, name, content)
        sent = WidgetState(id=place.key)
        sent.file_uploader_state_value.uploaded_file_info.add(
            name=name, size=len(content), file_id=urls.file_id, file_urls=urls
        )
        self.tally.counts["uploads" if taken else "uploads refused"] += 1
        await self.rerun(f"upload of {content[:20]!r}, {len(content):,} bytes, to", [sent], [place])

    def headers(self):
        """What a browser says of itself: the cookies that it was given."""
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    def fetch(self, path, method="GET", body=None, **headers):
        """Ask for an address, and keep the cookies that come with the answer."""
        request = urllib.request.Request(f"http://{self.host}{path}", body, self.headers() | headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            for cookie in answer.headers.get_all("Set-Cookie", ()):
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.read()

    def put(self, url, name, content):
        """Send a file, and say whether it was taken."""
        head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        headers = {"Content-Type": "multipart/form-data; boundary=x"}
        headers["X-Xsrftoken"] = self.cookies.get("_streamlit_xsrf", "")
        try:
            self.fetch(url, "PUT", head.encode() + content + b"\r\n--x--\r\n", **headers)
        except OSError:  # too large, or lost
            return False
        return True

    async def download(self):
        """Ask for a file that the server makes on the click."""
        offered = [each for each in self.widgets.values() if each.deferred]
        if not offered:
            return await self.set()
        asked = BackMsg()
        request = asked.backend_operation_request
        request.request_id, request.session_id = "1", self.session
        invented = ["nothing"] if self.forger else []
        request.deferred_file.file_id = self.rng.choice([*(each.deferred for each in offered), *invented])
        await self.socket.send(asked.SerializeToString())
        answer = (await self.hear("backend_operation_response")).backend_operation_response
        if not answer.error_msg:
            try:
                await asyncio.to_thread(self.fetch, answer.deferred_file.url)
            except OSError as error:
                self.tally.counts[f"downloads lost ({error})"] += 1
                return
        self.tally.counts["downloads refused" if answer.error_msg else "downloads"] += 1

    def asked(self, states, name, hash, back):
        """The message that asks for a rerun."""
        message = BackMsg()
        client = message.rerun_script
        client.query_string, client.is_history_navigation = self.query, back
        client.page_name = name
        client.page_script_hash = self.pages.get(self.page, "") if hash is None else hash
        client.widget_states.widgets.extend(states)
        client.cached_message_hashes.extend(self.kept)
        client.context_info.url = f"http://{self.host}/{self.page}"
        client.context_info.color_scheme = self.rng.choice(("light", "dark"))
        return message

    async def rerun(self, deed, states=(), widgets=(), *, name="", hash=None, back=False):
        """Ask for a rerun, read the page that it makes, and note how long that took."""
        self.deed = f"{deed} {', '.join(each.key.rpartition('-')[2] for each in widgets)}".strip()
        if len(self.kept) > KEPT:
            self.kept.clear()
        began = time.perf_counter()
        await self.socket.send(self.asked(states, name, hash, back).SerializeToString())
        await self.hear("script_finished")
        if self.broken:  # what Streamlit refuses, it refuses until the page is loaded anew, and quickly
            self.session, self.broken = None, False
            return await self.leave()
        latency = 1000 * (time.perf_counter() - began)
        self.tally.latencies[self.page].append(latency)
        self.tally.slowest = sorted([*self.tally.slowest, (latency, self.page, self.deed)], reverse=True)[:SLOWEST]

    async def hear(self, awaited):
        """Read what the server says until the message of this kind; a script that starts anew has not finished."""
        async with asyncio.timeout(self.patience):
            while True:
                message = ForwardMsg.FromString(await self.socket.recv())
                message = self.kept.get(message.ref_hash, message)
                kind = message.WhichOneof("type")
                self.note(kind, message)
                if kind == awaited and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return message

    def note(self, kind, message):
        """Learn from a message: session, pages, address, widgets, errors."""
        if message.metadata.cacheable:
            self.kept[message.hash] = message
        match kind:
            case "new_session":
                self.session, self.widgets, self.tabs = message.new_session.initialize.session_id, {}, {}
            case "navigation":
                self.pages = {
                    "" if page.is_default else page.url_pathname: page.page_script_hash
                    for page in message.navigation.app_pages
                }
                here = {hash: name for name, hash in self.pages.items()}
                self.page = here.get(message.navigation.page_script_hash, self.page)
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "delta":
                self.see(message.delta, tuple(message.metadata.delta_path))

    def see(self, delta, path):
        """Learn of an element or a block of the page."""
        if delta.WhichOneof("type") == "add_block":
            kind, block = delta.add_block.WhichOneof("type"), delta.add_block
        else:
            kind, block = delta.new_element.WhichOneof("type"), delta.new_element
        said = getattr(block, kind) if kind else None
        if kind == "tab" and path[:-1] in self.tabs:
            key = self.tabs[path[:-1]]
            options = (*self.widgets[key].options, said.label) if key in self.widgets else (said.label,)
            self.widgets[key] = Widget(key, "tab_container", FIELD["tab_container"], options=options)
        elif kind == "tab_container" and said.id:
            self.tabs[path] = said.id
        elif kind == "exception":
            by = " (a forger)" if self.forger else ""
            self.tally.counts[f"Streamlit's own error shown after {self.deed.split()[0]}{by}"] += 1
            self.broken = True
        elif kind == "alert" and (found := re.search(r"knows it as \*\*(\w+)\*\*", said.body)):
            self.tally.deeds[found[1]] = self.forger, f"{self.page or 'first page'}: {self.deed}"
        elif widget := spotted(kind, said):
            self.widgets[widget.key] = widget


class Analyst(Visitor):
    """Somebody at work: values that the page offers, right files and links, and time to think in between."""

    pause = 3.0, 8.0
    deeds: ClassVar = {"set": 60, "turn": 25, "upload": 4, "download": 6, "readdress": 5}
    files, tokens = RIGHT_FILES, RIGHT_TOKENS

    def address(self):
        """A link that somebody sent: a plan, or an example."""
        if self.rng.random() < 0.5:
            return urllib.parse.urlencode({"plan": self.rng.choice(self.tokens)})
        return urllib.parse.urlencode({"example": self.rng.choice(EXAMPLES)})


class Heavy(Visitor):
    """Somebody who asks for as much as an address can, each time for another thing, so that no kept answer helps."""

    pause = 0.2, 0.5
    patience = 10 * PATIENCE
    deeds: ClassVar = {"readdress": 1}

    def address(self):
        """A crafted plan at the workbench, or the most that a page of the library can be asked for."""
        self.page, held = self.rng.choice(HEAVY)
        return urllib.parse.urlencode({"plan": crafted(self.rng), **held})

    async def readdress(self):
        """Open another crafted address."""
        self.query = self.address()
        await self.rerun(f"crafted {self.query[-60:]}", name=self.page)

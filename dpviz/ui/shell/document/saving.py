"""Where documents are saved, who is asking, and why nothing can be saved here.

There is one database in a server's process, where `DPVIZ_DATABASE` says; nothing is created before the first save.
Without a login everybody who reaches the server is one local user, to whom all in it belongs. Therefore saving is
offered by itself only where nobody else reaches it, or where Streamlit's login says who asks; `DPVIZ_STORE` says "on"
or "off" in place of that.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpviz.ui.shell import refusals
from dpviz.ui.shell.words import escaped

if TYPE_CHECKING:
    from dpviz.store import Database, Plans

LOGGER = logging.getLogger("dpviz.ui")
VARIABLE, DATABASE = "DPVIZ_STORE", "DPVIZ_DATABASE"
ON, OFF = "on", "off"
# What a proxy adds to a request: whoever comes through one is not known to sit at this machine.
FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "X-Real-Ip")
SWITCHED_OFF = "Nothing can be saved here: saving is switched off on this server."
OPEN = (
    "Nothing can be saved here: others reach this server, and it has no login to tell whose plan is whose. "
    "Links and files keep a plan."
)
LOG_IN = "Log in to save plans, and to open those that you have saved."
NAMELESS = "Nothing can be saved here: your login says neither your address nor who you are."
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")


@st.cache_resource(show_spinner=False)
def _database(location: str) -> Database:
    from dpviz.store import Database

    return Database(location)


def database() -> Database:
    """Return the one database of this process, which may not be there yet.

    Raises
    ------
    dpviz.store.Unavailable
        When `DPVIZ_DATABASE` names neither a file nor the URL of a database.
    ImportError
        When what a database needs is not installed.
    """
    from dpviz.store.connection import Unavailable, usual_location  # wanted by those who save

    try:
        return _database(usual_location())
    except Unavailable:
        raise
    except ValueError as error:
        wrong = refusals.clause(error, {"location": DATABASE})
        raise Unavailable(f"Nothing can be saved here: {wrong}") from None


def person() -> str:
    """Return who is asking, as the database names them: "local" where the server has no login.

    With one it is the e-mail address that the login's provider has verified, in small letters; without such an address,
    subject and issuer together, which are the same for a person as long as their account is.

    Raises
    ------
    ValueError
        When nobody is logged in, or the login has no name: `why_not` says it.
    """
    from dpviz.store.people import LOCAL

    if not login_offered():
        return LOCAL
    if not logged_in():
        raise ValueError(LOG_IN)
    if not (found := _claimed(st.user)):
        raise ValueError(NAMELESS)
    return found


def named(typed: str) -> str:
    """Return a person as `person` would, of what somebody types who invites them.

    Examples
    --------
    >>> named(" Ada@Example.org "), named("A17 at https://login.example.org")
    ('ada@example.org', 'A17 at https://login.example.org')
    """
    found = typed.strip()
    return found.lower() if _EMAIL.fullmatch(found) else found


def plans() -> Plans:
    """Return the plans that whoever asks may open; ask `why_not` before."""
    return database().plans(person())


def login_offered() -> bool:
    """Say whether the server has a login: the section `[auth]` of Streamlit's secrets."""
    return "is_logged_in" in st.user


def logged_in() -> bool:
    """Say whether whoever asks has logged in."""
    return bool(st.user.get("is_logged_in"))


def log_in_or_out(place: str) -> None:
    """Draw the way into the server's login, or out of it; nothing where it has none.

    Parameters
    ----------
    place : str
        Where on the page, for the key of what is pressed.
    """
    if not login_offered() or os.environ.get(VARIABLE, "").strip().lower() == OFF:
        return
    if logged_in():
        st.button("Log out", on_click=st.logout, key=f"log_out_{place}", icon=":material/logout:")
        return
    for provider in _providers():
        label = f"Log in with {escaped(provider)}" if provider else "Log in"
        key = f"log_in_{provider}_{place}" if provider else f"log_in_{place}"
        st.button(label, on_click=_log_in, args=(provider,), key=key, icon=":material/login:")


def _log_in(provider: str) -> None:
    try:
        st.login(provider or None)
    except Exception:  # whatever is missing, whoever runs the server has to mend it
        LOGGER.exception("nobody can log in")
        st.error("Nobody can log in here just now: the login of this server is not complete. Its log has the reason.")


def _providers() -> tuple[str, ...]:
    """The providers that the secrets name; "" where there is one without a name."""
    asked = st.secrets.get("auth", {})
    found = [name for name, each in asked.items() if isinstance(each, Mapping)]
    return tuple(found) if found and "client_id" not in asked else ("", *found)


def why_not() -> str:
    """Return in one sentence why nothing can be saved here; "" where it can be."""
    said = os.environ.get(VARIABLE, "").strip().lower()
    if said == OFF:
        return SWITCHED_OFF
    if said not in ("", ON):
        return f"Nothing can be saved here: {VARIABLE} must be “on” or “off”, and is “{escaped(said[:40])}”."
    if not login_offered():
        return "" if said == ON or _nobody_else() else OPEN
    if not logged_in():
        return LOG_IN
    return "" if _claimed(st.user) else NAMELESS


def _claimed(user: Any) -> str:
    """Who a login says that somebody is; "" where it does not, or with what no name may hold."""
    from dpviz.store.people import checked_person

    email, subject, issuer = (str(user.get(name) or "") for name in ("email", "sub", "iss"))
    verified = user.get("email_verified") in (True, "true") and _EMAIL.fullmatch(email)
    found = email.lower() if verified else f"{subject} at {issuer}" if subject and issuer else ""
    try:
        return checked_person(found)
    except ValueError:
        return ""


def _nobody_else() -> bool:
    """Whether only this machine reaches the server: by the address it listens on, and as this visitor came."""
    visitor = st.context.headers
    if not loopback(st.get_option("server.address")) or any(name in visitor for name in FORWARDED):
        return False
    host = visitor.get("Host")
    return host is None or loopback(re.sub(r":\d*$", "", host))


def loopback(host: str | None) -> bool:
    """Say whether a name or number of a machine is this one's own, which no other reaches.

    Examples
    --------
    >>> loopback("localhost"), loopback("127.0.0.1"), loopback("::1"), loopback("0.0.0.0"), loopback(""), loopback(None)
    (True, True, True, False, False, False)
    """
    if not host:  # Streamlit listens everywhere then
        return False
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False

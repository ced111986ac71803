"""Who saves, where, and where nobody can: by what the server listens on, how a visitor came, and the login."""

from types import SimpleNamespace

import pytest

from dpviz.ui.shell.document import saving

ISSUER = "https://login.example.org"


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch):
    """Set what the server listens on, what a request says and who has logged in; return why nothing can be saved."""

    def set_up(address: str | None = "localhost", said: str | None = None, headers=(), user=()) -> str:
        visitor = SimpleNamespace(
            user=dict(user), context=SimpleNamespace(headers=dict(headers)), get_option=lambda name: address,
        )  # fmt: skip
        monkeypatch.setattr(saving, "st", visitor)
        monkeypatch.delenv(saving.VARIABLE, raising=False)
        if said is not None:
            monkeypatch.setenv(saving.VARIABLE, said)
        return saving.why_not()

    return set_up


def test_only_this_machine_saves_without_a_login(ask):
    for address in ("localhost", "127.0.0.1", "127.8.0.1", "::1", "LOCALHOST"):
        assert ask(address) == "" and saving.person() == "local"
    for address in ("0.0.0.0", "::", "", None, "192.168.0.4", "example.org", "unix:///run/dpviz", "localhost.org"):
        assert ask(address) == saving.OPEN


def test_who_comes_through_a_proxy_is_not_known_to_sit_here(ask):
    for host in ("localhost:8501", "127.0.0.1:8501", "[::1]:8501", "localhost"):
        assert ask(headers={"Host": host}) == ""
        for name in saving.FORWARDED:
            assert ask(headers={"Host": host, name: "10.0.0.1"}) == saving.OPEN
    for host in ("dp.example.org", "192.168.0.4:8501", "localhost.example.org", "", "[oops"):
        assert ask(headers={"Host": host}) == saving.OPEN, host


def test_the_operator_decides(ask):
    assert ask("0.0.0.0", "on") == ask("0.0.0.0", " ON ") == "" and saving.person() == "local"
    assert ask("localhost", "off") == ask("0.0.0.0", "OFF", user={"is_logged_in": True}) == saving.SWITCHED_OFF
    assert "must be “on” or “off”" in ask("localhost", "<b>yes")


def test_with_a_login_whoever_logs_in_saves(ask):
    """Under a verified address, else under what the provider promises never to give to somebody else."""
    assert ask("0.0.0.0", user={"is_logged_in": False}) == saving.LOG_IN
    with pytest.raises(ValueError, match="Log in"):
        saving.person()
    ada = {"is_logged_in": True, "iss": ISSUER, "sub": "17", "email": "Ada@Example.org"}
    for verified, name in ((True, "ada@example.org"), ("true", "ada@example.org"), (False, f"17 at {ISSUER}"),
                           ("no", f"17 at {ISSUER}"), (None, f"17 at {ISSUER}")):  # fmt: skip
        assert ask("0.0.0.0", user=ada | {"email_verified": verified}) == ""
        assert saving.person() == name == saving.named(name)


def test_nobody_logs_in_as_the_local_user(ask):
    """To whom everything belongs; and whoever has no name saves nothing."""
    hostile = (
        {"email": "local", "email_verified": True},
        {"sub": "local"},
        {"iss": "local"},
        {"email": "a@b\x00", "email_verified": True},
        {"sub": "17\u202e", "iss": ISSUER},
        {"sub": "1" * 400, "iss": ISSUER},
    )
    for claims in ({}, *hostile):
        assert ask(user={"is_logged_in": True} | claims) == saving.NAMELESS, claims
        with pytest.raises(ValueError, match="your login"):
            saving.person()

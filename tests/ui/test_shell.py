"""What goes wrong is logged by place and id, never with what the visitor typed."""

import json
import logging
from datetime import date

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.testing.v1 import AppTest

from dpviz import Guarantee, Laplace, Plan, Release
from dpviz.report.subject import Subject
from dpviz.ui.shell import sharing
from dpviz.ui.shell.shell import seldom

SECRET = "Salaries of the board"


def broken() -> None:
    from dpviz.ui.shell import shell

    with shell.boundary():
        raise ValueError("Salaries of the board")


def broken_callback() -> None:
    import streamlit as st

    from dpviz.ui.shell import shell

    def fail() -> None:
        raise KeyError("Salaries of the board")

    st.button("press", on_click=shell.guarded(fail))


def hurried() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from dpviz.ui.shell import shell

    def press(name: str) -> None:
        get_script_run_ctx().script_requests.request_rerun(RerunData())  # as the next press does
        st.session_state[f"{name} begun"] = True
        st.session_state[f"{name} done"] = True

    def outer() -> None:
        shell.guarded(press)("inner")  # one that calls another is not disturbed after it, either
        press("outer")

    st.button("bare", on_click=press, args=("bare",))
    st.button("guarded", on_click=shell.guarded(outer))


def shown_and_logged(app: AppTest, caplog) -> tuple[str, str]:
    assert not app.exception
    return app.error[0].value, "\n".join(record.getMessage() for record in caplog.records if "error" in record.msg)


def test_error_in_a_page(caplog):
    """The visitor sees the id that the log has; the message is in neither."""
    caplog.set_level(logging.ERROR, "dpviz.ui")
    shown, logged = shown_and_logged(AppTest.from_function(broken).run(), caplog)
    identifier = shown.split("**")[1]
    assert f"error {identifier}: ValueError at " in logged and "broken" in logged
    assert SECRET not in shown + logged


def test_error_in_a_callback(caplog):
    """Callbacks are inside the boundary too."""
    caplog.set_level(logging.ERROR, "dpviz.ui")
    app = AppTest.from_function(broken_callback).run()
    shown, logged = shown_and_logged(app.button[0].click().run(), caplog)
    assert "KeyError" in logged and SECRET not in shown + logged


def test_what_is_pressed_next_waits_for_a_callback():
    """Streamlit alone breaks it off where it reads the session next; and what was asked for meanwhile is done after."""
    app = AppTest.from_function(hurried).run()
    app.button[0].click().run()
    assert "bare done" not in app.session_state, "else nothing has to be kept from it"
    app.button[1].click().run()
    assert {f"{name} {state}" for name in ("inner", "outer") for state in ("begun", "done")} <= {*app.session_state}
    assert not app.exception


@pytest.mark.parametrize("seconds", [0.0, 600.0])
def test_a_download_waits_for_its_browser(seconds: float):
    """Streamlit itself drops the file that was made when two scripts of whomever have ended; the shell lets it stay."""
    storage = MemoryMediaFileStorage("/media")
    files = MediaFileManager(storage)
    scripts_end = seldom(files.remove_orphaned_files, seconds)
    made = files.execute_deferred(files.add_deferred(lambda: b"report", "text/html", "1", "report.html"))
    scripts_end()
    scripts_end()
    if seconds:
        assert storage.get_file(made.rpartition("/")[2]).content == b"report"
    else:
        with pytest.raises(Exception, match="Bad filename"):
            storage.get_file(made.rpartition("/")[2])


def test_what_is_handed_over_is_written_on_the_click():
    """A report takes the plan's name beside its own form, and every program is one."""
    plan = Plan([Release("Visits", Laplace(10, 1))], Guarantee(1.0, 1e-6))
    subject = Subject(plan, name="Our plan", on=date(2026, 1, 1))
    assert "Our plan" in sharing.written("html", subject)
    assert json.loads(sharing.written("json", subject))
    for label, file in sharing.CODE:
        assert file.endswith(".py") and compile(sharing.program(label, plan), file, "exec")

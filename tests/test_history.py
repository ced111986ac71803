"""Undo and redo, held against a list of states and a place in it."""

from random import Random

from dpviz.history import LONGEST_PAST, History


def walked(seed: int, steps: int) -> None:
    """Change, undo and redo at random; the states are as the list has them at each step."""
    draw = Random(seed)
    states, place, ever, history = [0], 0, 1, History()
    for _ in range(steps):
        match draw.choice(("change", "change", "undo", "redo")):
            case "change":
                history = history.changed(states[place])
                states = [*states[: place + 1], ever]
                states, ever = states[-LONGEST_PAST - 1 :], ever + 1
                place = len(states) - 1
            case "undo":
                present, history = history.undone(states[place])
                place = max(place - 1, 0)
                assert present == states[place]
            case "redo":
                present, history = history.redone(states[place])
                place = min(place + 1, len(states) - 1)
                assert present == states[place]
        assert [*history.past, states[place], *history.future] == states
        assert history.dropped == ever - len(states)


def test_undo_and_redo_walk_along_the_states():
    for seed in range(5):
        walked(seed, 200)


def test_what_is_remembered_has_a_weight():
    """The oldest states go first; the last one stays, whatever it weighs."""
    history = History()
    for size in (3, 1, 4, 1, 5, 9, 2):
        history = history.changed("x" * size, len, 9)
        assert history.past[-1] == "x" * size
        assert sum(map(len, history.past)) <= 9 or len(history.past) == 1
    assert History().changed("abc", len, 1).past == ("abc",)

"""The part of the page on the command line that its own parser tells: every command with its arguments."""

import argparse
import re


def commands() -> str:
    """Return every command with its arguments and what else its help says, without examples: other pages run them."""
    from dpviz.cli.command_line import parser

    top = parser()
    [named] = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    return "\n\n".join(section(name, command) for name, command in named.choices.items())


def section(name: str, command: argparse.ArgumentParser) -> str:
    """Return one command."""
    given = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
    rows = [f"| {called(action)} | {told(action)} |" for action in given]
    lines = [f"## dpviz {name}", "", command.description or "", "", "| argument | what it is |", "|---|---|", *rows]
    for paragraph in (command.epilog or "").split("\n\n"):
        if not paragraph.startswith("examples:"):
            sentence = f"{paragraph[0].upper()}{paragraph[1:]}"
            lines += ["", "```text", paragraph, "```"] if "\n" in paragraph else ["", sentence]
    return "\n".join(lines)


def called(action: argparse.Action) -> str:
    """Return how an argument is written."""
    value = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    if not action.option_strings:
        return f"`{value}`"
    return ", ".join(f"`{option}{f' {value}' if value else ''}`" for option in action.option_strings)


def told(action: argparse.Action) -> str:
    """Return what an argument is, what it may be, and whether it must be given."""
    text = (action.help or "").replace("|", "\\|")
    if action.choices and not all(str(choice) in text for choice in action.choices):
        text += f"; one of {', '.join(f'`{choice}`' for choice in action.choices)}"
    required = action.required and bool(action.option_strings)
    return re.sub(r"\s+", " ", text) + ("; must be given" if required else "")

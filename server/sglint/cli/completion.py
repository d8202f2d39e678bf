"""``sglint completion``: a script that completes commands, options and their values in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from importlib import import_module

from ..records import dataclass
from .console import write
from .errors import OK

SHELLS = ("bash", "zsh", "fish")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        'bash and zsh: eval "$(sglint completion bash)" in the start-up file (zsh: after compinit, with `zsh`); '
        "fish: sglint completion fish > ~/.config/fish/completions/sglint.fish"
    )
    parser.add_argument("shell", choices=SHELLS)


def run(arguments: argparse.Namespace) -> int:
    from .app import COMMANDS

    commands = {name: _command(name, purpose) for name, purpose in COMMANDS.items()}
    write(_fish(commands) if arguments.shell == "fish" else _bash(commands, zsh=arguments.shell == "zsh"))
    return OK


@dataclass(frozen=True)
class Command:
    """``options`` has for each option its values, none where they are free; ``words`` may follow the command."""

    purpose: str
    options: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...]


def _command(name: str, purpose: str) -> Command:
    parser = argparse.ArgumentParser(add_help=True)
    import_module(f".{name}", __package__).configure(parser)
    options: dict[str, tuple[str, ...]] = {}
    words: tuple[str, ...] = ()
    for action in parser._actions:
        values = tuple(map(str, action.choices or ()))
        if action.option_strings:
            options |= dict.fromkeys(action.option_strings, values)
        else:
            words += values
    return Command(purpose, options, words)


def _bash(commands: Mapping[str, Command], *, zsh: bool) -> Iterator[str]:
    if zsh:
        yield "autoload -U +X bashcompinit && bashcompinit"
    yield "_sglint() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield "  COMPREPLY=()"
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'    words="{" ".join((*commands, "--help", "--version"))}"'
    yield "  else"
    yield '    case "${COMP_WORDS[1]} $before" in'
    for name, command in commands.items():
        for option, values in command.options.items():
            if values:
                yield f'      "{name} {option}") words="{" ".join(values)}" ;;'
    for name, command in commands.items():
        yield f'      "{name} "*) words="{" ".join((*command.words, *command.options))}" ;;'
    yield "    esac"
    yield "  fi"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _sglint sglint"


def _fish(commands: Mapping[str, Command]) -> Iterator[str]:
    for name, command in commands.items():
        yield f"complete -c sglint -n __fish_use_subcommand -a {name} -d {_quoted(command.purpose)}"
        here = f"-n '__fish_seen_subcommand_from {name}'"
        if command.words:
            yield f"complete -c sglint {here} -a '{' '.join(command.words)}'"
        for option, values in command.options.items():
            kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            yield f"complete -c sglint {here} {kind}" + (f" -x -a '{' '.join(values)}'" if values else "")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

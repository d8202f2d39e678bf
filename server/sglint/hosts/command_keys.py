"""Which strings and lists of a YAML document are commands, by their keys and by what they begin with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import Word
from ..patterns import lazy
from .scopes import Scope
from .surroundings import ENV_KEYS

FLAG_LIST_KEYS = frozenset(
    """extraArgs extra_args extraArguments serverArgs server_args sglangArgs sglang_args additionalArgs engineArgs
    flags cliArgs commandArgs backend_parameters backendParameters argv""".split()
)
FLAG_MAP_KEYS = frozenset("serverArgs server_args sglangArgs sglang_args sglang_server_args extraArgs args".split())
LINES_KEYS = frozenset("script before_script after_script commands cmds runcmd".split())
"""Lists whose items are lines of a script, where they are no words of one command."""

COMMAND_KEYS = (("command", "args"), ("entryPoint", "command"), ("EntryPoint", "Command"))
"""Keys of the two lists that are one command, in Kubernetes and in tasks of Amazon ECS."""

_SCRIPT_KEY = lazy(
    r"(?:^|.*[._-])(?:run|script|command|cmd|entrypoint|shell|bash|\w+\.sh)$|.*[a-z0-9](?:Script|Command|Cmd|Entrypoint)$"
)
_PROSE_KEY = lazy(r"(?:display|full)?(?:name|title|label|desc|description|summary|help|example|message|note)s?$", re.I)
_STARTS_SERVER = lazy(
    r"\s*(?:(?:exec|nohup|sudo|env|[A-Za-z_]\w*=\S*)\s+)*(?:\S*/)?"
    r"(?:python[\d.]*\s+-m\s+(?:sglang\.launch_server|dynamo\.sglang)|sglang\s+serve)(?:\s|$)"
)
_IS_WHOLE = lazy(r"--model(?:-path)?[ =]|serve\s+[^-\s]")
"""A command that names its model; others under such keys are pieces that something else completes."""

_ENGINE_KEYS = ("engine", "backend", "backendName", "backend_name", "framework", "inferenceEngine", "inference_engine")


def is_script(scope: Scope, key: str, text: str) -> bool:
    """Whether a shell runs the string under a key, which Ansible writes with its collection before it."""
    if key == "source":
        # The script of a workflow's step.
        return scope.get("image") is not None
    if _SCRIPT_KEY.match(key) or text.startswith("#!"):
        return True
    # A variable's text is run where something names the variable.
    is_text = scope.key in ENV_KEYS or _PROSE_KEY.match(key) is not None
    return not is_text and _STARTS_SERVER.match(text) is not None and _IS_WHOLE.search(text) is not None


def are_flags_of_sglang(scope: Scope, words: Sequence[Word]) -> bool:
    """Whether words that begin with a flag stand in a mapping that names SGLang as its engine."""
    if not words or not words[0].known_prefix.startswith("--"):
        return False
    return any((scope.text(key) or "").lower() == "sglang" for key in _ENGINE_KEYS)

"""Words in front of a program: what each wrapper consumes before the command it runs.

Options of a wrapper that take a separate value have to be known, else the value would be taken for the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from ..launch.model import EnvVar, Place, Word
from .evidence import mapped_of, slurm_gpus
from .program_words import Program, give_up, tail, text_of

Wrapper = Callable[[Program, Sequence[Word]], "Program | None"]


def after_options(words: Sequence[Word], index: int, with_value: Collection[str] = ()) -> int:
    """Index of the first word from ``index`` on that is no option (``--`` is passed over)."""
    while index < len(words):
        text = words[index].text
        if text is None and words[index].many:  # options in a variable
            index += 1
            continue
        if text is None or not text.startswith("-") or text == "-":
            return index
        if text == "--":
            return index + 1
        index += 2 if text in with_value else 1
    return index


def env_var(word: Word, name_end: int) -> EnvVar:
    """``NAME=value`` in one word; a value of which a part is not known is not known."""
    mapped = mapped_of(word)
    value = word.text[name_end + 1 :] if word.text is not None else None
    return EnvVar(mapped.text[:name_end], value, Place(mapped.span(name_end + 1), word.path))


def environment(before: Program, words: Sequence[Word]) -> Program:
    """Leading ``NAME=value`` words, as ``env`` and ``sudo`` take them."""
    found: list[EnvVar] = []
    index = 0
    while index < len(words):
        match = re.match(r"([A-Za-z_]\w*)=", words[index].known_prefix)
        if not match:
            break
        found.append(env_var(words[index], match.end(1)))
        index += 1
    return before.prefix(words[index:], env=before.env + tuple(found))


def _simple(*with_value: str, positional: int = 0) -> Wrapper:
    def wrapper(before: Program, words: Sequence[Word]) -> Program:
        return before.prefix(words[after_options(words, 1, with_value) + positional :])

    return wrapper


def _run(actions: Collection[str], *with_value: str, positional: int = 0) -> Wrapper:
    """A tool whose subcommand runs a command: ``uv run``, ``conda run`` ..."""

    def wrapper(before: Program, words: Sequence[Word]) -> Program:
        index = after_options(words, 1, with_value)
        if index >= len(words) or words[index].text not in actions:
            return give_up(before, text_of(words[0]).rpartition("/")[2], words[0].span)
        return before.prefix(words[after_options(words, index + 1, with_value) + positional :])

    return wrapper


def _remote(*with_value: str, name: str, hosts: int = 1) -> Wrapper:
    """``ssh HOST words``: the words are joined and read by a shell over there; none means standard input."""

    def wrapper(before: Program, words: Sequence[Word]) -> Program:
        start = after_options(words, 1, with_value)
        if not (start > 1 and words[start - 1].many and (start >= len(words) or _is_command(words[start]))):
            start += hosts
        while start < len(words) and words[start].known_prefix.startswith("-"):
            start += 2 if words[start].text in with_value else 1
        rest = tuple(words[start:])
        inside = before.prefix(rest, fresh_env=True, env=(), via=(*before.via, name))
        if not rest:
            return inside.becomes("stdin", name, words[0].span, ())
        return inside.becomes("shell", name, words[0].span, (), script=rest)

    return wrapper


def _is_command(word: Word) -> bool:
    """Whether a word behind one that is not known is what a remote shell reads, not the host it runs on."""
    text = word.known_prefix
    name = text.rpartition("/")[2]
    return (
        " " in text
        or "=" in text
        or name in WRAPPERS
        or re.match(r"(?:ba|da|z|k)?sh$|python|docker|sgl", name) is not None
    )


def _remote_text(before: Program, words: Sequence[Word]) -> Program | None:
    """``gcloud compute ssh VM --command TEXT``, or words behind ``--``."""
    name = text_of(words[0]).rpartition("/")[2]
    texts = [word.text for word in words]
    if "ssh" not in texts:
        return give_up(before, name, words[0].span)
    inside = before.prefix((), fresh_env=True, env=(), via=(*before.via, f"{name} ssh"))
    for index, word in enumerate(words):
        if word.text == "--command":
            return inside.becomes("shell", name, words[0].span, (), script=words[index + 1 : index + 2])
        if word.known_prefix.startswith("--command="):
            script = (tail(word, len("--command=")),)
            return inside.becomes("shell", name, words[0].span, (), script=script)
        if word.text == "--":
            return inside.becomes("shell", name, words[0].span, (), script=words[index + 1 :])
    return inside.becomes("stdin", name, words[0].span, ())


def _joined(before: Program, words: Sequence[Word]) -> Program:
    """``eval words``: the words are joined and read again."""
    return before.becomes("shell", "eval", words[0].span, (), script=words[1:])


def _text_of_option(option: str, *with_value: str) -> Wrapper:
    """``su -c TEXT``, ``script -c TEXT``."""

    def wrapper(before: Program, words: Sequence[Word]) -> Program | None:
        for index, word in enumerate(words[:-1]):
            if word.text == option:
                return before.becomes(
                    "shell", text_of(words[0]), words[0].span, (), script=words[index + 1 : index + 2]
                )
        return before.prefix(words[after_options(words, 1, with_value) :]) if with_value else None

    return wrapper


_SLURM_VALUES = (
    "-N -n -c -p -A -J -t -w -x -G -o -e -D -C -q -i -m -r -W --nodes --ntasks --ntasks-per-node --cpus-per-task "
    "--partition --account --job-name --time --nodelist --exclude --gpus --gpus-per-node --gpus-per-task --gres "
    "--output --error --chdir --constraint --qos --mem --container-image --container-mounts --container-name "
    "--container-workdir --jobid --mpi --cpu-bind --relative --input --export --overlap-policy --het-group --wrap "
    "--array -a --dependency -d --mail-type --mail-user --reservation --cpus-per-gpu --mem-per-gpu --mem-per-cpu "
    "--nodefile -F --signal --switches --tasks-per-node --gpu-bind --container-env --container-workdir --licenses -L"
).split()


def _slurm(before: Program, words: Sequence[Word]) -> tuple[Program, Word | None]:
    """What is behind the options of ``srun``, ``salloc`` or ``sbatch``, and the text of ``--wrap``."""
    index = 1
    found = before
    wrapped: Word | None = None
    while index < len(words):
        word = words[index]
        if not word.known_prefix.startswith("-"):
            break
        name, equals, _ = word.known_prefix.partition("=")
        separate = not equals and name in _SLURM_VALUES
        index += 2 if separate else 1
        value = words[index - 1] if separate and index <= len(words) else tail(word, len(name) + 1) if equals else None
        if value is None:
            continue
        if name == "--wrap":
            wrapped = value
        elif name == "--container-image":
            # The image of Slurm's container is an image reference; the environment is handed on.
            found = found.prefix(found.words, image=value, image_file=True, via=(*found.via, "srun"))
        elif name in ("--gres", "--gpus", "--gpus-per-node", "-G") and value.text is not None:
            kind, count = slurm_gpus("--gpus-per-node" if name == "-G" else name, mapped_of(value))
            found = found.prefix(found.words, gpu=kind or found.gpu, gpu_count=count or found.gpu_count)
    return found.prefix(words[index:]), wrapped


def _srun(before: Program, words: Sequence[Word]) -> Program:
    return _slurm(before, words)[0]


def _sbatch(before: Program, words: Sequence[Word]) -> Program:
    """``sbatch FILE``, ``sbatch --wrap TEXT``, or a script at its standard input."""
    found, wrapped = _slurm(before, words)
    if wrapped is not None:
        return found.becomes("shell", "sbatch", words[0].span, (), script=(wrapped,))
    if not found.words:
        return found.becomes("stdin", "sbatch", words[0].span, ())
    return found.becomes("file", "sbatch", words[0].span, found.words[1:], script=found.words[:1])


def _tmux(before: Program, words: Sequence[Word]) -> Program | None:
    index = after_options(words, 1, ("-L", "-S", "-f"))
    action = text_of(words[index]) if index < len(words) else ""
    via = f"tmux {action}"
    if action in ("new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane"):
        rest = words[after_options(words, index + 1, ("-s", "-n", "-t", "-c", "-e", "-x", "-y", "-F", "-l", "-p")) :]
    elif action in ("send-keys", "send"):
        rest = words[after_options(words, index + 1, ("-t", "-N")) :][:1]
    else:
        return give_up(before, "tmux", words[0].span)
    inside = before.prefix(tuple(rest), via=(*before.via, via))
    if len(rest) == 1:
        return inside.becomes("shell", via, words[0].span, (), script=rest)
    return inside if rest else give_up(before, "tmux", words[0].span)


def _screen(before: Program, words: Sequence[Word]) -> Program:
    return before.prefix(words[after_options(words, 1, ("-S", "-dmS", "-c", "-t", "-T", "-s", "-h", "-Logfile")) :])


def _env(before: Program, words: Sequence[Word]) -> Program | None:
    index = 1
    fresh = before.fresh_env
    while index < len(words) and text_of(words[index]).startswith("-"):
        text = text_of(words[index])
        if text in ("-i", "--ignore-environment", "-"):
            fresh = True
        if text in ("-S", "--split-string"):
            return before.becomes("shell", "env", words[0].span, (), script=words[index + 1 :])
        index += 2 if text in ("-u", "--unset", "-C", "--chdir") else 1
    return environment(before.prefix((), fresh_env=fresh), words[index:])


def _kubectl(before: Program, words: Sequence[Word]) -> Program:
    """``kubectl exec POD -- words``, and ``kubectl run NAME --image IMAGE -- words``."""
    texts = [word.text for word in words]
    action = next((text for text in texts if text in ("exec", "run", "create", "debug")), None)
    if action is None or "--" not in texts:
        return give_up(before, "kubectl", words[0].span)
    end = texts.index("--")
    found = before.prefix(words[end + 1 :], fresh_env=True, env=(), via=(*before.via, f"kubectl {action}"))
    for index, word in enumerate(words[:end]):
        if word.known_prefix.startswith("--image="):
            return found.prefix(found.words, image=tail(word, len("--image=")))
        if word.text == "--image":
            return found.prefix(found.words, image=words[index + 1])
    return found


def _ray(before: Program, words: Sequence[Word]) -> Program:
    texts = [word.text for word in words]
    if texts[1:3] == ["job", "submit"] and "--" in texts:
        return before.prefix(words[texts.index("--") + 1 :], fresh_env=True, env=(), via=(*before.via, "ray job"))
    return give_up(before, "ray", words[0].span)


def _apptainer(before: Program, words: Sequence[Word]) -> Program:
    index = after_options(words, 1)
    if index >= len(words) or words[index].text not in ("exec", "run", "shell"):
        return give_up(before, "apptainer", words[0].span)
    action = words[index].text
    with_value = ("-B", "--bind", "--env", "--env-file", "-W", "--workdir", "--pwd", "-H", "--home", "-o", "--overlay")
    index = after_options(words, index + 1, with_value)
    rest = words[index + 1 :]
    image = words[index] if index < len(words) else None
    return before.prefix(rest, image=image, image_file=True, via=(*before.via, f"apptainer {action}"))


def _parallel(before: Program, words: Sequence[Word]) -> Program:
    """GNU ``parallel``: the words up to ``:::`` are joined and read by a shell."""
    with_value = "-j --jobs -a --arg-file --colsep --delay --joblog -S --sshlogin -N -n --timeout --results".split()
    rest = words[after_options(words, 1, with_value) :]
    end = next((index for index, word in enumerate(rest) if (word.text or "").startswith(":::")), len(rest))
    if not end:
        return give_up(before, "parallel", words[0].span)
    return before.becomes("shell", "parallel", words[0].span, (), script=rest[:end])


def _find(before: Program, words: Sequence[Word]) -> Program:
    """``find ... -exec command {} ;``"""
    texts = [word.text for word in words]
    start = next((index for index, text in enumerate(texts) if text in ("-exec", "-execdir", "-ok", "-okdir")), None)
    if start is None:
        return give_up(before, "find", words[0].span)
    end = next((index for index in range(start, len(texts)) if texts[index] in (";", "+")), len(texts))
    return before.prefix(words[start + 1 : end])


_SUDO = ("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-D", "-R", "-U", "--user", "--group")

WRAPPERS: dict[str, Wrapper] = {
    **dict.fromkeys(
        ("nohup", "setsid", "builtin", "command", "coproc", "unbuffer", "then", "do", "else", "!"), _simple()
    ),
    **dict.fromkeys(("tini", "dumb-init", "catatonit", "catchsegv", "caffeinate"), _simple()),
    "exec": _simple("-a"),
    "time": _simple("-f", "-o", "--format", "--output"),
    "nice": _simple("-n", "--adjustment"),
    "ionice": _simple("-c", "-n", "-p"),
    "numactl": _simple(*"-N -m -C -i -p -l --cpunodebind --membind --physcpubind --interleave --preferred".split()),
    "taskset": _simple(positional=1),
    "chrt": _simple(positional=1),
    "stdbuf": _simple("-i", "-o", "-e", "--input", "--output", "--error"),
    "timeout": _simple("-k", "-s", "--kill-after", "--signal", positional=1),
    "flock": _simple("-w", "-E", "--timeout", positional=1),
    "strace": _simple("-o", "-e", "-p", "-s", "-u"),
    "sudo": _simple(*_SUDO),
    "doas": _simple("-u", "-C"),
    **dict.fromkeys(("gosu", "su-exec"), _simple(positional=1)),
    "runuser": _text_of_option("-c", "-u", "-g", "--user"),
    "su": _text_of_option("-c"),
    "ansible": _text_of_option("-a"),
    "script": _text_of_option("-c"),
    "systemd-run": _simple("-p", "--property", "--unit", "-u", "--slice", "-E", "--setenv", "--uid", "--gid"),
    "env": _env,
    "eval": _joined,
    "uv": _run(("run",), *"-p --python --with --project --directory --extra --group --env-file --index-url".split()),
    **dict.fromkeys(("conda", "mamba", "micromamba"), _run(("run",), "-n", "--name", "-p", "--prefix", "--cwd", "-e")),
    **dict.fromkeys(("poetry", "pipenv", "pdm", "hatch", "rye"), _run(("run",))),
    "pixi": _run(("run",), "-e", "--environment", "--manifest-path"),
    "nsys": _run(("profile", "launch"), "-o", "--output", "-t", "--trace", "-c", "--capture-range", "-s", "-y", "-d"),
    "ssh": _remote(*"-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w".split(), name="ssh"),
    **dict.fromkeys(("srun", "salloc"), _srun),
    "sbatch": _sbatch,
    "gcloud": _remote_text,
    "sshpass": _simple("-p", "-f", "-d", "-P"),
    "pdsh": _remote(*"-w -x -g -l -f -R -t -u".split(), name="pdsh", hosts=0),
    "clush": _remote(*"-w -x -g -X -l -f -t -u".split(), name="clush", hosts=0),
    **dict.fromkeys(
        ("pssh", "parallel-ssh"), _remote(*"-h -H -l -p -o -e -t -O -x -X".split(), name="parallel-ssh", hosts=0)
    ),
    "mpirun": _simple(*"-n -np -H -host --host -hostfile --hostfile -x -N --map-by -map-by --bind-to".split()),
    "tmux": _tmux,
    "screen": _screen,
    **dict.fromkeys(("kubectl", "oc"), _kubectl),
    "ray": _ray,
    "xargs": _simple(
        *"-I -J -n -P -L -d -s -a -E -R --max-args --max-procs --max-lines --delimiter --arg-file".split()
    ),
    "parallel": _parallel,
    "find": _find,
    **dict.fromkeys(("apptainer", "singularity"), _apptainer),
}

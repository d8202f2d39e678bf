"""One short script for each construct that people write launches with: what bash runs is what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from .bash_judge import agrees, run, stubs
from .test_bash_judge import launches_of

SERVE = "python3 -m sglang.launch_server --model-path m"
CONSTRUCTS = {
    "local/export/declare": (
        'f() { local TP=2 PORT; declare -r DT=auto; PORT=30; SERVE --tp $TP --port "$PORT" --dtype $DT; }\nf\n'
    ),
    "array +=": 'A=(--tp 2)\nA+=(--port "3 0")\nA[0]=--tp-size\nSERVE "${A[@]}"\n',
    "string split": 'X="--tp 2  --port 3"\nX="$X --dtype auto"\nSERVE $X "$X"\n',
    "nested default": "G=\nSERVE ${G:---cuda-graph-max-bs 1} ${H:-${I:---tp 2}}\n",
    "set --": 'set -- --tp 2\nset -- "$@" --port 3\nshift 2\nSERVE "$@" $# $1\n',
    "functions": 'launch() { SERVE --port "$1" "${@:2}"; }\nlaunch 30 --tp 2 "a b"\nlaunch 31\n',
    "loop": "for p in 30 31; do SERVE --port $p & done\nwait\n",
    "cstyle": "for ((i=0; i<2; i++)); do SERVE --port $((30+i)); done\n",
    "while": "i=0\nwhile [ $i -lt 2 ]; do SERVE --node-rank $i; i=$((i+1)); done\n",
    "case if &&": (
        'case "$1" in a) E=--x;; *) E="--y 1";; esac\n'
        'if [ -n "$Q" ]; then E="$E --q"; fi\n'
        '[ -f z ] && E+=" --z"\n'
        "SERVE $E\n"
    ),
    "heredoc bash": "bash <<EOF\nSERVE --tp 2\nEOF\nbash -s -- 7 <<'EOF'\nSERVE --tp $1\nEOF\n",
    "heredoc cat": "cat <<EOF\nSERVE --tp 2\nEOF\nSERVE\n",
    "exec nohup env time": (
        "nohup env A=1 SERVE --tp 1 > l 2>&1 &\n"
        "time SERVE --tp 2\n"
        "env -u X B=2 nice -n 3 SERVE --tp 3\n"
        "exec SERVE --tp 4\n"
    ),
    "docker": (
        "docker run --rm --gpus all -v a:b -e X=1 lmsysorg/sglang:v0.5.18 SERVE --tp 1\n"
        'docker exec -it c bash -c "SERVE --tp 2"\n'
    ),
    "bash -c nested": 'bash -c "bash -c \\"SERVE --served-model-name \\\\\\"a b\\\\\\"\\""\n',
    "arith cmdsub": "N=$((2*4))\nSERVE --tp $N --port $(echo 30) --node-rank $(hostname)\n",
    "commented": "# SERVE --tp 8\nSERVE --tp 1 # --tp 2\n",
    "kill grep echo": (
        "pkill -f sglang.launch_server\n"
        'pgrep -f "SERVE"\n'
        'ps aux | grep sglang.launch_server | awk "{print $2}" | xargs -r kill\n'
        'echo "SERVE"\n'
        "SERVE --tp 1\n"
    ),
    "cmd array": (
        "CMD=(python3 -m sglang.launch_server)\n"
        "CMD+=(--model-path m)\n"
        '[ -n "$X" ] && CMD+=(--x)\n'
        'echo "${CMD[@]}"\n'
        '"${CMD[@]}" 2>&1 | tee l\n'
    ),
    "cmd string": 'CMD="SERVE --tp 2"\necho $CMD\n$CMD\neval "$CMD --port 3"\nbash -c "$CMD"\n',
    "var in middle": 'R=v1\nSERVE --served-model-name "m-${R}-x" --log-file=/l/$R.log --a\'b\'"c"$R\n',
    "brace": "SERVE --cuda-graph-bs {1,2,4} --x{1..3}\n",
    "ansi-c": "SERVE --chat-template $'a\\nb' --x $'\\x41'\n",
    "json": 'SERVE --json-model-override-args \'{"a": {"b": [1,2]}}\' --x "{\\"k\\": \\"v\\"}"\n',
    "continuation comment": "SERVE \\\n  --tp 1 \\\n  # --dp 2 \\\n  --port 3\n",
    "glob tilde": 'SERVE --x ~/m --y *.none --z "~"\n',
    "param ops": (
        "M=org/name-7b.gguf\n"
        "SERVE --a ${M##*/} --b ${M%.*} --c ${M/\\//_} --d ${M^^} --e ${M:4:4} --f ${#M} --g ${M//[\\/.]/-}\n"
    ),
    "assoc": (
        'declare -A P=([a]=1 [b]="2 3")\n'
        "k=b\n"
        'SERVE --a ${P[a]} --b "${P[$k]}"\n'
        "P[c]=4\n"
        'SERVE --c "${P[c]}" --n ${#P[@]}\n'
    ),
    "mapfile": 'mapfile -t X < <(echo --tp; echo 2)\nSERVE "${X[@]}"\n',
    "read": 'read -r A B <<< "1 2"\nSERVE --tp $A --dp $B\n',
    "IFS": 'IFS=,\nX="--tp,2"\nSERVE $X\n',
    "IFS read": 'IFS=, read -ra X <<< "--tp,2"\nSERVE "${X[@]}"\n',
    "IFS join": 'X=(a b)\nY=$(IFS=,; echo "${X[*]}")\nSERVE --served-model-name "$Y"\n',
    "local IFS": 'f() { local IFS=,; X=(1 2); J="${X[*]}"; }\nf\nSERVE --x "$J"\n',
    "star quoted": 'X=(a b)\nSERVE --x "${X[*]}" ${X[*]}\n',
    "indirect": "A_B=7\nn=A_B\nSERVE --tp ${!n}\n",
    "nameref": "A=7\ndeclare -n r=A\nr=8\nSERVE --tp $A\n",
    "printf -v": 'printf -v X "%s-%s" a b\nSERVE --x $X\n',
    "let": 'let X=2+3\nlet "Y = X * 2"\nSERVE --x $X --y $Y\n',
    "(( ))": "X=1; ((X+=2)); ((X++))\nSERVE --x $X\n",
    "declare -i": "declare -i X=2+3\nX+=1\nSERVE --x $X\n",
    "readonly": "readonly X=2\nX=3 2>/dev/null\nSERVE --x $X\n",
    "unset": 'X=1; unset X\nSERVE ${X:+--x $X} --y "${X-d}"\n',
    "export -n": "export X=1\nexport -n X\nX=2 bash -c 'SERVE --x $X'\nbash -c 'SERVE --y \"${X:-none}\"'\n",
    "command builtin": "command SERVE --tp 1\nbuiltin true\n",
    "timeout": (
        "timeout -k 5 60 SERVE --tp 1\n"
        "stdbuf -oL SERVE --tp 2\n"
        "numactl -N 0 -m 0 SERVE --tp 3\n"
        "taskset -c 0-3 SERVE --tp 4\n"
    ),
    "&& chain": "true && SERVE --tp 1 || SERVE --tp 2\nfalse && SERVE --tp 3\n",
    "func redefine": 'f() { E="--a"; }\nf() { E="--b"; }\nf\nSERVE $E\n',
    "func later": 'main() { helper; SERVE $E; }\nhelper() { E=--z; }\nmain "$@"\n',
    "exit in func": 'die() { echo x; exit 1; }\n[ -n "y" ] || die\nSERVE --tp 1\n',
    "return val": 'gpus() { echo 8; }\nSERVE --tp "$(gpus)"\n',
    "stdin var": "X=$(cat <<EOF\n--tp 2\nEOF\n)\nSERVE $X\n",
    "heredoc json": 'cat > c.json <<EOF\n{"a": 1}\nEOF\nSERVE --config c.json\n',
    "multi-assign": "A=1 B=2\nSERVE --tp $A --dp $B\n",
    "quoted nl": 'X="--tp 1\n--dp 2"\nSERVE $X\n',
    "escaped": 'SERVE --x a\\ b --y \\"q\\" --z \\$H\n',
    "backtick": 'SERVE --x `echo 5` --y "`echo a b`"\n',
    "${@}": 'set -- a "b c"\nSERVE --x "${@}" --y $* --z "$*" --w ${@:1:1}\n',
    "arr slice": 'A=(a b c d)\nSERVE "${A[@]:1:2}" "${A[-1]}" "${#A[@]}" "${!A[@]}"\n',
    "arr cond": 'A=()\nSERVE "${A[@]+"${A[@]}"}" ${A[0]:-none}\n',
    "arr ops": 'A=(a.x b.x)\nSERVE "${A[@]%.x}" "${A[@]/#/--}"\n',
    "pushd": "pushd /tmp >/dev/null\nSERVE --tp 1\npopd >/dev/null\n",
    "sh": 'sh -c "SERVE --tp 1"\nsh -ec "exec SERVE --tp 2"\n',
    "su/sudo": "sudo -E -u me SERVE --tp 1\nsudo A=1 SERVE --tp 2\n",
    "script file": "cat > run.sh <<'E'\nSERVE --tp \"$1\"\nE\nchmod +x run.sh\nbash run.sh 4\n",
    "three pipes": "ps | grep a | head\nSERVE --tp 1 > log 2>&1\n",
    "cut bracket": "X=a]\nY=${X%]}\nSERVE --x $Y\n",
    "extglob": "shopt -s extglob\nrm -f x.@(a|b)\nSERVE --tp 1\n",
    "test =": 'X=abc\n[[ $X = *"b"* ]] && E=--b\nSERVE $E\n',
}
UNTAKEN = (
    "a=${X%]}",
    'a="${X##*]}"',
    "a=${X//]/}",
    'a=${X:-{"a":1}}',
    "for i do echo; done",
    "if [[ $X == *.@(gz|xz) ]]; then echo; fi",
    'if [[ $X = *" "* ]]; then echo; fi',
    "if [ a \\< b ]; then echo; fi",
    "echo !(a)",
    "rm -f ./*.@(log|txt)",
    'echo "${a~~}"',
    "cat <<EOF\n${a%]}\nEOF",
    "case $x in a) b ;;& esac",
    "case $x in a) b ;& # c\nesac",
    "ps | grep a | head",
    "ps | grep a |\n  head # b\n\n",
    "x && ps | grep a | head",
)
"""What the parser does not take, or takes for a part of the next command."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("constructs")
    stubs(place)
    return place


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_bash_runs_what_is_read(name: str, folder: Path) -> None:
    text = "#!/bin/bash\n" + CONSTRUCTS[name].replace("SERVE", SERVE)
    ran = run(text, folder)
    launches = launches_of(text)
    assert ran
    for argv in ran:
        assert any(agrees(argv, launch.words) for launch in launches), argv


@pytest.mark.parametrize("before", UNTAKEN)
def test_a_launch_behind_what_the_parser_does_not_take_is_read(before: str) -> None:
    for text in (f"{before}\n{SERVE} --tp 2 > log\n", f"f() {{\n{before}\n{SERVE} --tp 2 2> log\n}}\nf\n"):
        (launch,) = launches_of("shopt -s extglob\n" + text)
        assert [(word.text, word.presence) for word in launch.words[2:]] == [("--tp", "yes"), ("2", "yes")]


def test_what_a_broken_part_sets_is_not_certain() -> None:
    (launch,) = launches_of('A=(--a)\n\nif x; then\nA+=(--b)\ny=$(\n\nsglang serve --model-path m "${A[@]}"\n')
    assert [(word.text, word.presence) for word in launch.words[2:]] == [("--a", "yes"), ("--b", "maybe")]

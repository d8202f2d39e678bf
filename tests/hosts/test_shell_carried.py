"""Launches that reach a server through pipes, remote shells, batch systems and programs that nobody knows."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from sglint import hosts
from sglint.hosts.programs import recognise
from sglint.launch import AddOption, Launch
from sglint.launch.argv import words_of
from sglint.text import Document, Sources, apply_edits

from .bash_judge import agrees, run, stubs

SERVE = "python3 -m sglang.launch_server --model-path"


def read(script: str) -> tuple[Launch, ...]:
    return hosts.read(Document("a.sh", script.replace("SERVE", SERVE), "shell"), Sources.none()).launches


def argvs(script: str) -> list[str]:
    return [" ".join("*" if word.many else word.text or "_" for word in launch.words) for launch in read(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        # What a remote shell, or one in a container, has at its standard input.
        ('ssh "$h" bash -s <<EOF\nSERVE m\nEOF', ["--model-path m"]),
        ("ssh h 'bash -s' -- x 4 <<'EOF'\nSERVE m --tp $2\nEOF", ["--model-path m --tp 4"]),
        ("ssh h sudo bash <<'EOF'\nSERVE m\nEOF", ["--model-path m"]),
        ("ssh h docker exec -i c bash <<'EOF'\nSERVE m\nEOF", ["--model-path m"]),
        (
            "for h in a b; do\nssh $h bash -s <<EOF\nSERVE m --dist-init-addr $h:5\nEOF\ndone",
            ["--model-path m --dist-init-addr _"],
        ),
        ("ssh h cat <<'EOF'\nSERVE m\nEOF", []),
        ("ssh h 'cat > x.sh' <<'EOF'\nSERVE m\nEOF", []),
        # The end of a pipeline.
        ("cat <<'EOF' | bash\nSERVE m\nEOF", ["--model-path m"]),
        ("cat <<'EOF' | ssh h bash -s\nSERVE m\nEOF", ["--model-path m"]),
        ('X=m\necho "SERVE $X" | bash', ["--model-path m"]),
        ("echo -n SERVE m --tp 2 | sudo sh", ["--model-path m --tp 2"]),
        ("printf '%s\\n' 'SERVE m' | bash", ["--model-path m"]),
        ("printf 'SERVE %s' m | bash", []),
        ('echo "SERVE m" | tee notes', []),
        ("bash <<EOF 2>&1 | tee log\nSERVE m\nEOF", ["--model-path m"]),
        # Files that the script writes and runs.
        ("tee /s.sh > /dev/null <<'EOF'\nSERVE m\nEOF\nsudo bash /s.sh", ["--model-path m"]),
        ("cat <<'EOF' | sudo tee /s.sh\nSERVE m\nEOF\nbash /s.sh", ["--model-path m"]),
        ('cat > "$D/s.sh" <<EOF\nSERVE m\nEOF\nnohup "$D/s.sh" &', ["--model-path m"]),
        ('S=$(mktemp)\ncat > "$S" <<EOF\nSERVE m\nEOF\nbash "$S"', ["--model-path m"]),
        # Functions that other shells get to know.
        ('f() { SERVE "$1"; }\nexport -f f\nbash -c "f m"', ["--model-path m"]),
        ('f() { SERVE "$1"; }\nexport -f f\nnohup bash <<EOF\nf m\nEOF', ["--model-path m"]),
        ('f() { SERVE "$1"; }\nssh h "$(declare -f f); f m"', ["--model-path m"]),
        ('f() { SERVE "$1"; }\neval "f m"', ["--model-path m"]),
        ('f() { SERVE "$1"; }\nbash -c "f m"', ["--model-path _"]),
    ],
)
def test_a_script_that_is_handed_on_is_read(script: str, expected: list[str]) -> None:
    assert argvs(script) == expected


def test_what_a_shell_reads_is_named_no_text() -> None:
    script = "ssh h bash -s <<'EOF'\nsglang serve m\nEOF\ncat <<'EOF'\nsglang serve n\nEOF\n"
    reading = hosts.read(Document("a.sh", script, "shell"), Sources.none())
    assert [script[item.span.start : item.span.end] for item in reading.not_launches] == ["sglang serve"]
    assert reading.not_launches[0].span.start > script.index("cat")


@pytest.mark.parametrize(
    ("script", "count", "gpu"),
    [
        ("sbatch --gres=gpu:h100:4 <<'EOF'\n#!/bin/bash\nSERVE m\nEOF", 4, "h100"),
        ("sbatch <<'EOF'\n#!/bin/bash\n#SBATCH --gres=gpu:h200:2\nSERVE m\nEOF", 2, "h200"),
        ('sbatch -N 1 --gpus-per-node=8 --wrap "SERVE m"', 8, None),
        ('sbatch --wrap="srun --gres=gpu:2 SERVE m"', 2, None),
        ("cat > j <<'EOF'\nSERVE m\nEOF\nsbatch -G a100:1 j", 1, "a100"),
        ("salloc -N1 --gres=gpu:8 srun SERVE m", 8, None),
    ],
)
def test_a_batch_job_tells_its_gpus(script: str, count: int, gpu: str | None) -> None:
    (launch,) = read(script)
    assert launch.gpu_count is not None
    assert (launch.gpu_count.value, launch.gpu.value if launch.gpu is not None else None) == (count, gpu)


@pytest.mark.parametrize(
    "line",
    [
        "./with_env.sh SERVER",
        'run_logged "the server" SERVER',
        "log_and_run SERVER",
        "infisical run --env prod -- SERVER",
        "py-spy record -o x.svg -- SERVER",
        "gdb -ex run --args SERVER",
        "ncu --set full -o prof SERVER",
        "enroot start --rw -m /m:/m sgl SERVER",
        "wait-for-it.sh db:5432 -- SERVER",
        "python3 scripts/guard.py --retries 3 -- SERVER",
        "docker run lmsysorg/sglang:v0.5.18 /entrypoint.sh SERVER",
        "kubectl exec pod SERVER",
        "oc rsh pod SERVER",
        "guard bash -c 'SERVER'",
    ],
)
@pytest.mark.parametrize("server", ["python3 -u -m sglang.launch_server -x", "sglang serve -x"])
def test_a_program_that_nobody_knows_starts_what_it_is_given(line: str, server: str) -> None:
    (launch,) = read(line.replace("SERVER", server))
    assert [word.text for word in launch.words] == ["-x"]


@pytest.mark.parametrize(
    "line",
    [
        "python3 -m debugpy --listen 5678 --wait-for-client -m sglang.launch_server -x",
        "python3 -m cProfile -o out -m sglang.launch_server -x",
        "coverage run -p -m sglang.launch_server -x",
        "uvx --from sglang==0.5.18 sglang serve -x",
    ],
)
def test_a_program_that_runs_modules_starts_a_server(line: str) -> None:
    (launch,) = read(line)
    assert [word.text for word in launch.words] == ["-x"]


@pytest.mark.parametrize(
    "line",
    [
        "log_info python3 -m sglang.launch_server -x",
        "die 1 sglang serve -x",
        "write_command out.txt sglang serve -x",
        "dump_cmd sglang serve -x",
        "print_cmd python3 -m sglang.launch_server -x",
        "git commit -m sglang.launch_server",
        "grep -m sglang.launch_server -x",
        "set -- python3 -m sglang.launch_server -x",
        "[ a = sglang serve ]",
        "which python3 -m sglang.launch_server",
        "helm install a b --set args='{python3,-m,sglang.launch_server}'",
        "make serve CMD='python3 -m sglang.launch_server -x'",
        "python3 -m pytest -m sglang.bench",
    ],
)
def test_what_is_only_said_searched_or_kept_starts_nothing(line: str) -> None:
    assert read(line) == ()


def test_what_an_unknown_program_is_given_says_where_it_runs() -> None:
    (launch,) = read("lock.sh A=1 docker run --gpus 2 -e B=2 lmsysorg/sglang:v0.5.18 sglang serve m")
    assert launch.release is not None and launch.gpu_count is not None
    assert (launch.release.value, launch.gpu_count.value) == ("0.5.18", 2)
    assert [(variable.name, variable.value) for variable in launch.env] == [("B", "2")]
    (other,) = read("lock.sh A=1 sglang serve m")
    assert [(variable.name, variable.value) for variable in other.env] == [("A", "1")]


def test_wrappers_keep_what_they_say_behind_words_that_are_not_known() -> None:
    (launch,) = read("docker run --name=$N --gpus 2 lmsysorg/sglang:v0.5.18 env A=$X B=1 $W sglang serve m")
    assert launch.release is not None and launch.gpu_count is not None
    assert (launch.release.value, launch.gpu_count.value) == ("0.5.18", 2)
    assert [(variable.name, variable.value) for variable in launch.env] == [("A", None), ("B", "1")]


def test_variables_of_a_container_have_names() -> None:
    line = 'docker run -e "T=$T" -e H=/h$X -e A -e $PAIR --env=B=1 lmsysorg/sglang:v0.5.18 sglang serve m'
    (launch,) = read(line)
    assert [(variable.name, variable.value) for variable in launch.env] == [
        ("T", None),
        ("H", None),
        ("A", None),
        ("B", "1"),
    ]


def test_an_exported_function_is_no_variable() -> None:
    (launch,) = read("f() { sglang serve m; }\nexport -f f\nexport A=1\nbash -c f")
    assert [variable.name for variable in launch.env] == ["A"]


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("ssh -p 22 h -t bash x", ["bash", "x"]),
        ("ssh h -- tmux new x", ["tmux", "new", "x"]),
        ("sshpass -p x ssh u@h 'a b'", ["a b"]),
        ("pdsh -w n[1-2] 'a b'", ["a b"]),
        ("clush -w n[1-2] a b", ["a", "b"]),
        ("gcloud compute ssh vm --zone z --command 'a b'", ["a b"]),
        ("gcloud compute ssh vm '--command=a b'", ["a b"]),
        ("gcloud compute ssh vm -- a b", ["a", "b"]),
        ("ansible all -m shell -a 'a b'", ["a b"]),
    ],
)
def test_what_a_remote_shell_reads(line: str, script: list[str]) -> None:
    found = recognise(words_of(shlex.split(line)))
    assert found is not None
    assert found.kind == "shell"
    assert [word.text for word in found.script] == script


@pytest.mark.parametrize("host", ["h", "$HOST", "$OPTIONS h", "$OPTIONS $HOST"])
def test_a_remote_host_may_be_a_variable(host: str) -> None:
    assert argvs(f"ssh {host} 'SERVE m'") == ["--model-path m"]
    assert argvs(f"ssh {host} SERVE m") == ["--model-path m"]


@pytest.mark.parametrize(
    "line",
    [
        "docker compose exec -T -e A=1 s sglang serve m",
        "docker compose -f c.yml run --rm --no-deps --service-ports -e A=1 s sglang serve m",
        "docker-compose exec -T -e A=1 s sglang serve m",
        "docker compose run -T $FLAGS -e A=1 s sglang serve m",
    ],
)
def test_compose_runs_a_command_in_a_service(line: str) -> None:
    (launch,) = read(line)
    assert ([word.text for word in launch.words], [item.name for item in launch.env]) == (["m"], ["A"])


def test_an_image_is_told_to_kubectl() -> None:
    (launch,) = read("kubectl run s --image=lmsysorg/sglang:v0.5.18 --restart=Never -- sglang serve m")
    assert launch.release is not None and launch.release.value == "0.5.18"


def test_very_many_unknown_programs_end() -> None:
    assert read("env x " * 3_000 + "sglang serve m") == ()


SCRIPTS = """\
cat <<'EOF' | bash
SERVE m1 --port "1 2"
EOF
X=m2
echo "SERVE $X --api-key 'a b'" | bash
cat <<EOF | bash -s -- 3
SERVE m3 --tp \\$1 --port $X
EOF
tee /tmp/s.sh >/dev/null <<'EOF'
SERVE m4 --tp "$1"
EOF
bash /tmp/s.sh 4
f() { SERVE "$1"; }
export -f f
timeout 9 bash -c "f m5"
ssh h "$(declare -f f); f m5"
ssh h bash -s <<EOF
SERVE m6 --served-model-name "$X"
EOF
"""


def test_bash_hands_over_the_same_words(tmp_path: Path) -> None:
    stubs(tmp_path)
    text = SCRIPTS.replace("SERVE", SERVE).replace("/tmp/", f"{tmp_path}/")
    launches = read(text)
    ran = run(text, tmp_path)
    assert len(ran) == 7
    for argv in ran:
        assert any(agrees(argv, launch.words) and all(word.text for word in launch.words) for launch in launches), argv


def test_an_option_is_added_before_the_sign_that_ends_a_command_of_find() -> None:
    text = "find /m -maxdepth 1 -exec sglang serve {} --tp 2 \\;\n"
    (launch,) = read(text)
    new = apply_edits(text, launch.editor.edits(launch, [AddOption("--port", "1")]))
    assert new == text.replace("--tp 2", "--tp 2 --port 1")

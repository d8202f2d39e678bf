"""Jinja templates of scripts: what is certain about them, and edits that leave tags alone."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, SetValue
from sglint.text import Document, Sources, apply_edits
from sglint.text.document import language_of

SCRIPT = """\
#!/bin/bash
{# python3 -m sglang.launch_server --model-path /m/old #}
exec python3 -m sglang.launch_server \\
  --model-path "{{ model }}" \\
{% if mtp %}
  --speculative-algorithm EAGLE \\
{% else %}
  --enable-metrics \\
{% endif %}
  --tp-size {{ tp | default(1) }} {% if x %}--log-level debug{% endif %} \\
  --port 30000
"""


def launch_of(text: str, name: str = "start.sh.j2") -> Launch:
    reading = hosts.read(Document(name, text, "shell"), Sources.none())
    assert reading.problems == ()
    (launch,) = reading.launches
    return launch


def words(launch: Launch) -> list[tuple[str | None, str]]:
    return [(word.text, word.presence) for word in launch.words]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_tags_decide_and_expressions_are_not_known(ending: str) -> None:
    text = SCRIPT.replace("\n", ending)
    launch = launch_of(text)
    assert words(launch) == [
        ("--model-path", "yes"),
        (None, "yes"),
        ("--speculative-algorithm", "maybe"),
        ("EAGLE", "maybe"),
        ("--enable-metrics", "maybe"),
        ("--tp-size", "yes"),
        (None, "yes"),
        ("--log-level", "maybe"),
        ("debug", "maybe"),
        ("--port", "yes"),
        ("30000", "yes"),
    ]
    assert text[slice(*launch.words[1].span)] == "{{ model }}"
    assert text[slice(*launch.words[3].span)] == "EAGLE"


def edited(text: str, change: Change) -> str | None:
    launch = launch_of(text)
    try:
        return apply_edits(text, launch.editor.edits(launch, [change]))
    except CannotEdit:
        return None


def test_edits_leave_every_tag_where_it_is() -> None:
    launch = launch_of(SCRIPT)
    assert edited(SCRIPT, SetValue(launch.words[9:], "8000")) == SCRIPT.replace("30000", "8000")
    without = edited(SCRIPT, RemoveOption(launch.words[2:4]))
    assert without is None or without == SCRIPT.replace("  --speculative-algorithm EAGLE \\\n", "")
    for start, end in ((0, 2), (2, 4), (4, 5), (5, 7), (7, 9), (9, 11)):
        after = edited(SCRIPT, RemoveOption(launch.words[start:end]))
        if after is not None:
            assert [after.count(tag) for tag in ("{%", "{#")] == [SCRIPT.count(tag) for tag in ("{%", "{#")]
            assert words(launch_of(after)) == words(launch)[:start] + words(launch)[end:]
    added = edited(SCRIPT, AddOption("--page-size", "1"))
    assert added is not None
    assert words(launch_of(added))[-2:] == [("--page-size", "yes"), ("1", "yes")]


def test_the_name_before_the_template_s_end_says_what_it_makes() -> None:
    assert language_of("roles/x/start.sh.j2") == "shell"
    assert language_of("start.bash.jinja2") == "shell"
    assert language_of("deploy.yaml.j2") is None
    assert launch_of(SCRIPT.replace("{%", "# {%"), "start.sh").words


def test_a_template_that_does_not_end_is_read_as_far_as_it_goes() -> None:
    assert launch_of("python -m sglang.launch_server --model-path m {% if x %}--enable-metrics").words


def test_a_script_with_expressions_among_its_words_is_a_template() -> None:
    text = (
        "#!/bin/bash\nsglang serve --model-path {{ model }} --tp-size {{tp}} \\\n{% if mtp %}\n  --enable-metrics \\\n"
        "{% endif %}\n  --host '{{ host }}'\n"
    )
    launch = launch_of(text, "start.sh")
    assert words(launch) == [
        ("--model-path", "yes"),
        (None, "yes"),
        ("--tp-size", "yes"),
        (None, "yes"),
        ("--enable-metrics", "maybe"),
        ("--host", "yes"),
        (None, "yes"),
    ]


@pytest.mark.parametrize(
    "line", ["docker ps --format '{{ .Names }}'", "echo ${#A[@]} ${B%#}", "awk '{{ print $1 }}' x", "X='{%'; Y='%}'"]
)
def test_braces_elsewhere_make_no_template_of_a_script(line: str) -> None:
    text = f'{line}\nsglang serve --model-path m --json-model-override-args \'{{"a": {{"b": 1}}}}\'\n'
    assert [word for word, _ in words(launch_of(text, "start.sh"))] == [
        "--model-path",
        "m",
        "--json-model-override-args",
        '{"a": {"b": 1}}',
    ]

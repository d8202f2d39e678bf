"""A manifest beside a ``kustomization.yaml``: its images, and arguments that a patch replaces."""

from __future__ import annotations

from collections.abc import Mapping

from sglint import hosts
from sglint.launch.model import Reading, SetImageTag
from sglint.text import Document, Sources

BASE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm, namespace: prod}
spec:
  template:
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.17
          command: [python3, -m, sglang.launch_server, --host=0.0.0.0]
          args: [--model-path=m, --tp-size=2]
          env: [{name: A, value: "1"}, {name: B, value: "2"}]
"""
PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm}
spec:
  template:
    spec:
      containers:
        - name: server
          args: [--model-path=m, --mem-fraction-static=0.8]
          env: [{name: B, value: "3"}]
"""
IMAGES = "resources: [base.yaml]\nimages:\n  - name: lmsysorg/sglang\n    newTag: v0.5.19-cu129\n"
PATCHES = "resources: [./base.yaml]\npatches:\n  - path: patch.yaml\n"


def read(name: str, files: Mapping[str, str]) -> Reading:
    reading = hosts.read(Document(name, files[name], "yaml"), Sources(files.get))
    assert reading.problems == ()
    return reading


def test_the_tag_of_the_kustomization_wins_and_is_edited_there() -> None:
    files = {"a/base.yaml": BASE, "a/kustomization.yaml": IMAGES}
    (launch,) = read("a/base.yaml", files).launches
    assert launch.release is not None
    assert (launch.release.value, launch.release.source) == ("0.5.19", "kustomize images")
    assert launch.release.place is not None
    assert launch.release.place.path == "a/kustomization.yaml"
    assert IMAGES[slice(*launch.release.place.span)] == "v0.5.19-cu129"
    (edit,) = launch.editor.edits(launch, (SetImageTag("v0.5.21"),))
    assert (edit.path, IMAGES[slice(*edit.span)]) == ("a/kustomization.yaml", "v0.5.19-cu129")


def test_other_names_files_and_comments_keep_the_manifest_s_own_release() -> None:
    for kustomization in (
        IMAGES.replace("name: lmsysorg/sglang", "name: sglang"),
        IMAGES.replace("base.yaml", "other.yaml"),
        IMAGES.replace("newTag", "tag"),
        "- a list",
        "images: [",
    ):
        (launch,) = read("base.yaml", {"base.yaml": BASE, "kustomization.yaml": kustomization}).launches
        assert launch.release is not None
        assert launch.release.value == "0.5.17"
    noted = BASE.replace("        - name: server", "        # sglint: release=0.5.16\n        - name: server")
    (launch,) = read("base.yaml", {"base.yaml": noted, "kustomization.yaml": IMAGES}).launches
    assert launch.release is not None
    assert launch.release.value == "0.5.16"


def test_a_digest_says_no_release() -> None:
    pinned = IMAGES.replace("newTag: v0.5.19-cu129", "digest: sha256:00")
    (launch,) = read("base.yaml", {"base.yaml": BASE, "kustomization.yaml": pinned}).launches
    assert launch.release is None


def test_arguments_that_a_patch_replaces_are_told_at_the_patch() -> None:
    files = {"base.yaml": BASE, "patch.yaml": PATCH, "kustomization.yml": PATCHES}
    base = read("base.yaml", files)
    assert base.launches == ()
    assert [other.program for other in base.not_launches] == ["replaced by a patch"]
    (launch,) = read("patch.yaml", files).launches
    assert launch.launcher == "launch_server"
    assert [(word.text, word.path) for word in launch.words] == [
        ("--host=0.0.0.0", "base.yaml"),
        ("--model-path=m", None),
        ("--mem-fraction-static=0.8", None),
    ]
    assert launch.release is not None
    assert launch.gpu is not None
    assert (launch.release.value, launch.gpu.value) == ("0.5.17", "h200")
    assert {variable.name: variable.value for variable in launch.env} == {"A": "1", "B": "3"}


def test_a_patch_of_another_folder_s_resources_is_completed_too() -> None:
    files = {
        "base/base.yaml": BASE,
        "base/kustomization.yaml": "resources: [base.yaml]\n",
        "over/patch.yaml": PATCH,
        "over/kustomization.yaml": PATCHES.replace("./base.yaml", "../base"),
    }
    (launch,) = read("over/patch.yaml", files).launches
    assert launch.launcher == "launch_server"
    (launch,) = read("base/base.yaml", files).launches
    assert launch.release is not None


def test_an_image_in_a_patch_wins_over_the_resource_s() -> None:
    text = PATCH.replace("args: [--model-path=m, --mem-fraction-static=0.8]", "image: lmsysorg/sglang:v0.5.21")
    inline = "resources: [base.yaml]\npatches:\n  - patch: |\n" + "".join(
        f"      {line}\n" for line in text.splitlines()
    )
    for files in (
        {"patch.yaml": text, "kustomization.yaml": PATCHES},
        {"kustomization.yaml": inline},
        {"patch.yaml": text, "kustomization.yaml": "resources: [base.yaml]\npatchesStrategicMerge: [patch.yaml]\n"},
    ):
        (launch,) = read("base.yaml", {"base.yaml": BASE, **files}).launches
        assert launch.release is not None
        assert launch.release.value == "0.5.21"


def test_a_patch_of_another_container_changes_nothing() -> None:
    for other in (PATCH.replace("name: server", "name: side"), PATCH.replace("name: llm", "name: other")):
        files = {"base.yaml": BASE, "patch.yaml": other, "kustomization.yaml": PATCHES}
        assert len(read("base.yaml", files).launches) == 1
        (launch,) = read("patch.yaml", files).launches
        assert launch.launcher == "none"


def test_folders_that_list_each_other_end() -> None:
    files = {
        "a/patch.yaml": PATCH,
        "a/kustomization.yaml": "resources: [../b]\npatches: [{path: patch.yaml}]\n",
        "b/kustomization.yaml": "resources: [../a, ../b]\n",
    }
    assert len(read("a/patch.yaml", files).launches) == 1

"""Files around the package: one version, one address, workflows and a recipe that fit."""

from __future__ import annotations

import importlib.util
import re
import shutil
import struct
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import costboost
from costboost._core.engine import _kernels

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github").glob("**/*.yml"))


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "release" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parsed(path: Path) -> Any:
    return pytest.importorskip("yaml").safe_load(path.read_text())


# ---- the version ---------------------------------------------------------------------------------


def test_the_version_is_stated_once() -> None:
    assert "version" in PROJECT["dynamic"]
    assert "run_command('release/version.py'" in (ROOT / "meson.build").read_text()
    done = subprocess.run(
        [sys.executable, ROOT / "release/version.py"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == costboost.__version__


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in script("prepare").PLACES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 7.8.9 (unreleased)\n\n- One.\n")
    return tmp_path


def test_a_release_is_prepared_by_one_command(copied: Path) -> None:
    prepare = script("prepare")
    assert len(prepare.prepare(copied, "7.8.9", "2031-02-03")) == len(prepare.PLACES)
    assert '\n__version__ = "7.8.9"\n' in (copied / "src/costboost/__init__.py").read_text()
    assert "\n## [7.8.9] - 2031-02-03\n" in (copied / "CHANGELOG.md").read_text()
    citation = parsed(copied / "CITATION.cff")
    assert (citation["version"], str(citation["date-released"])) == ("7.8.9", "2031-02-03")
    assert parsed(copied / "recipe/recipe.yaml")["context"]["version"] == "7.8.9"


@pytest.mark.parametrize("version", ["7.9", "8.0.0", "7.8.9;x", ""])
def test_a_version_that_is_not_the_next_one_changes_nothing(copied: Path, version: str) -> None:
    before = {path: path.read_text() for path in copied.rglob("*.*") if path.is_file()}
    with pytest.raises(ValueError, match=r"is not a version|occurs 0 times"):
        script("prepare").prepare(copied, version, "2031-02-03")
    assert {path: path.read_text() for path in before} == before


def test_the_files_of_this_release_agree() -> None:
    assert parsed(ROOT / "recipe/recipe.yaml")["context"]["version"] == costboost.__version__
    assert str(parsed(ROOT / "CITATION.cff")["version"]) == costboost.__version__


# ---- addresses, workflows, recipe ----------------------------------------------------------------


def test_there_is_one_address() -> None:
    repository, pages = PROJECT["urls"]["Repository"], PROJECT["urls"]["Documentation"]
    texts = [ROOT / "CITATION.cff", ROOT / "SECURITY.md", ROOT / "recipe/recipe.yaml", *WORKFLOWS]
    for path in texts:
        for found in re.findall(r"https://[^/\s)]*github[^/\s)]*/[^\s)\"]*", path.read_text()):
            assert found.startswith((repository, pages)), path.name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_valid(path: Path) -> None:
    found = parsed(path)
    assert isinstance(found, dict)
    if path.parent.name != "workflows":
        return
    targets = re.findall(r"^([\w-]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for job in found["jobs"].values():
        for step in job.get("steps", []):
            called = re.match(r"make ([\w-]+)", step.get("run", ""))
            assert called is None or called[1] in targets
    files = re.findall(r"((?:release|\.github/workflows)/\w+\.(?:py|yml))", path.read_text())
    assert all((ROOT / name).exists() for name in files)


def test_the_recipe_has_the_dependencies_of_the_package() -> None:
    recipe = parsed(ROOT / "recipe/recipe.yaml")
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    run = {
        one.replace("pyarrow-core", "pyarrow").replace(" ", "")
        for one in recipe["requirements"]["run"]
    }
    assert run == {"python", *wanted}
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command.split(" = ") == ["costboost", PROJECT["scripts"]["costboost"]]


def test_each_dependency_has_a_lowest_version() -> None:
    floors = script("floors")
    found = floors.floors(floors.dependencies())
    assert {"numpy", "scipy", "scikit-learn", "pyarrow", "distributed"} < found.keys()
    assert found["distributed"] == "2025.1"
    with pytest.raises(ValueError, match="'numpy<3' states no lowest version"):
        floors.floors(["scipy>=1.15", "numpy<3"])


def test_every_python_version_is_tested_and_built() -> None:
    found = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    tests = parsed(ROOT / ".github/workflows/tests.yml")["jobs"]["suite"]["strategy"]["matrix"]
    assert tests["python"] == found
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    assert options["build"].split() == [f"cp{one.replace('.', '')}-*" for one in found]


# ---- the wheel -----------------------------------------------------------------------------------


def packed(folder: Path, files: dict[str, bytes]) -> Path:
    wheel = folder / "costboost-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def test_a_wheel_with_the_wrong_files_is_refused(tmp_path: Path) -> None:
    check = script("check_wheel")
    right = dict.fromkeys(check.NEEDED, b"")
    assert check.contents(packed(tmp_path, right)) == []
    wrong = {"costboost/tests/test_a.py": b"", "costboost/a.so": b"..debug_info"}
    faults = check.contents(packed(tmp_path, wrong | {"costboost/py.typed": b""}))
    assert "has costboost/tests/test_a.py" in faults
    assert "has debug symbols in costboost/a.so" in faults
    assert "lacks costboost/datasets/german_credit.csv.gz" in faults
    library = b"\x7fELF\x02\x01" + bytes(100)
    faults = check.contents(packed(tmp_path, right | {"costboost/a.so": library, "b.so": library}))
    assert "lacks guards of the stack in costboost/a.so" in faults
    assert not any("b.so" in one for one in faults)  # of others
    large = packed(tmp_path, right | {"costboost/a.bin": bytes(check.LIMIT)})
    (fault,) = check.contents(large)
    assert fault == f"has {large.stat().st_size} bytes, more than {check.LIMIT}"


def test_costboost_lab_has_the_version_of_costboost(tmp_path: Path) -> None:
    lab = tomllib.loads((ROOT / "lab/pyproject.toml").read_text())
    assert lab["project"]["dynamic"] == ["version", "dependencies"]
    assert lab["tool"]["hatch"]["version"]["path"] == "../src/costboost/__init__.py"
    check = script("check_wheel")

    def faults(*lines: str) -> Any:
        text = "\n".join(lines).encode()
        return check.other_versions(packed(tmp_path, {"l.dist-info/METADATA": text}), "1.2.0")

    assert faults("Version: 1.2.0", "Requires-Dist: costboost[cli]==1.2.0") == []
    (fault,) = faults("Version: 1.2.0", "Requires-Dist: costboost[cli]==1.1.0")
    assert fault == "has version 1.1.0, not 1.2.0"
    assert faults("Version: 1.2.0", "Requires-Dist: costboost[cli]")


REPLACED = {
    "guards of the stack": [(b"__stack_chk_fail\0", b"__stack_abc_fail\0")],
    "checked copies": [(b"_chk\0", b"_abc\0")],
    "tables that are read-only after loading": [(struct.pack("<I", 0x6474E552), bytes(4))],
    "functions bound at once": [
        (struct.pack("<qQ", 30, 8), struct.pack("<qQ", 30, 0)),
        (struct.pack("<qQ", 0x6FFFFFFB, 1), struct.pack("<qQ", 0x6FFFFFFB, 0)),
    ],
    "a stack that is not executable": [
        (struct.pack("<II", 0x6474E551, 6), struct.pack("<II", 0x6474E551, 7))
    ],
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries for Linux")
def test_the_extension_is_hardened() -> None:
    check = script("check_wheel")
    library = Path(_kernels.__file__).read_bytes()
    assert check.unprotected(library) == []
    for what, changes in REPLACED.items():
        changed = library
        for old, new in changes:
            changed = changed.replace(old, new)
        assert what in check.unprotected(changed)

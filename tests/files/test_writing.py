"""A file on disk is the old one or the new one, whatever happens while it is written."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from files.crafting import saved
from files.examples import X, model, rows_of
from typer.main import get_command

import costboost
from costboost._core import disk
from costboost.app.cli.commands import app

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and rights of POSIX")

OLD, NEW = "AdaMECClassifier", "tree with categories"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a model in it."""
    costboost.save(model(OLD), tmp_path / "model.costboost")
    return tmp_path / "model.costboost"


def check_untouched(path: Path) -> None:
    """Assert that the folder contains the old model and nothing else."""
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == saved(OLD)


def run(code: str, *arguments: Any, timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
    """Python code in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


# ---- killed --------------------------------------------------------------------------------------

KILLED = """
    import gc, os, random, signal, sys, time
    from pathlib import Path
    import costboost

    gc.disable()  # in a fork a collection copies all memory, and nothing is saved for long
    folder, n, how = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    path = folder / "model.costboost"
    names = ["old", "new"]
    files = [(folder / name).read_bytes() for name in names]
    results = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what commands print

    if how == "save":
        models = {name: costboost.load(folder / name) for name in names}
        def save(name):
            costboost.save(models[name], path)
    else:
        from typer.main import get_command
        from costboost.app.cli.commands import app
        command = get_command(app)
        def save(name):
            words = ["fit", str(folder / f"{name}.csv"), "-t", "y", "-a", "adamec", "--rounds", "2"]
            command.main([*words, "--jobs", "1", "--out", str(path)], standalone_mode=False)

    random.seed(0)
    save("old")
    begin = time.perf_counter()
    for name in ("new", "old"):
        save(name)
        assert path.read_bytes() == files[names.index(name)]
    for_both = time.perf_counter() - begin
    for k in range(n):
        awaited, ready = os.pipe()
        child = os.fork()
        if child == 0:
            while True:
                for name in names:
                    save(name)
                os.write(ready, b"!")
        os.read(awaited, 1)  # it is at work
        time.sleep(random.uniform(0, 1.2 * for_both))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(awaited)
        os.close(ready)
        found = path.read_bytes()
        assert found in files, len(found)
        left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
        assert len(left) <= 1, left
        print(files.index(found), len(left), file=results, flush=True)
    save("new")
    assert path.read_bytes() == files[1]
    assert not [name for name in os.listdir(folder) if name.startswith(".costboost-")]
"""


def prepare_for_kills(folder: Path, how: str) -> None:
    """Write the two models, and for the command line the two files that they are trained on."""
    for name, clf in (("old", OLD), ("new", NEW)):
        (folder / name).write_bytes(saved(clf))
        if how == "fit":
            rows = [f"{x},{int(x > 5 * (name == 'old'))}" for x in range(-20, 20)]
            (folder / f"{name}.csv").write_text("\n".join(["x,y", *rows]) + "\n")
            words = ["fit", str(folder / f"{name}.csv"), "-t", "y", "-a", "adamec", "--rounds", "2"]
            done = CliRunner().invoke(
                get_command(app), [*words, "--jobs", "1", "--out", str(folder / name)]
            )
            assert done.exit_code == 0, done.output


@pytest.mark.parametrize("how", ["save", "fit"])
@pytest.mark.parametrize("n", [pytest.param(200, marks=pytest.mark.slow), 12])
def test_killed_in_many_saves(n: int, how: str, tmp_path: Path) -> None:
    """The file is the old or the new model, and the next save leaves no temporary file."""
    prepare_for_kills(tmp_path, how)
    done = run(KILLED, tmp_path, n, how, timeout=300.0 + 10 * n)
    assert done.returncode == 0, done.stderr
    found = [line.split() for line in done.stdout.splitlines()]
    assert len(found) == n
    if n > 100:
        assert {file for file, _ in found} == {"0", "1"}, "one of the models was never found"
        lefts = {left for _, left in found}  # most of the time of a fit is not for writing
        assert lefts == {"0", "1"} or how == "fit", "no kill came in the middle"
    assert costboost.load(tmp_path / "model.costboost").n_iter_ > 0


# ---- interrupted ---------------------------------------------------------------------------------

STEPS = ["open", "write", "fsync", "replace", "fchmod"]


@pytest.mark.parametrize("step", STEPS)
def test_ctrl_c_at_every_step(step: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        if step == "open":
            os.close(own(*arguments, **options))  # the file exists, but its handle is lost
        raise KeyboardInterrupt

    own = getattr(os, step)
    with monkeypatch.context() as patch:
        patch.setattr(disk.os, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            costboost.save(model(NEW), path)
    check_untouched(path)


def test_a_real_ctrl_c(path: Path) -> None:
    code = """
        import signal, sys
        import costboost
        from costboost._core import disk

        clf = costboost.load(sys.argv[1])
        own = disk.os.fsync
        disk.os.fsync = lambda handle: (signal.raise_signal(signal.SIGINT), own(handle))
        costboost.save(clf.set_params(fn_cost=7.0), sys.argv[1])
    """
    done = run(code, path)
    assert done.returncode == -signal.SIGINT, done.stderr
    assert "KeyboardInterrupt" in done.stderr
    check_untouched(path)


# ---- what is in the way --------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, if the system allows it."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no right to mount a disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    path = small_disk / "model.costboost"
    costboost.save(model(OLD), path)
    filler = small_disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(512)):
            pass
    before = sorted(os.listdir(small_disk))
    with pytest.raises(
        OSError, match="cannot be written: the disk is full; the file there is unchanged"
    ) as caught:
        costboost.save(model(NEW), path)
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(path)
    assert sorted(os.listdir(small_disk)) == before
    assert path.read_bytes() == saved(OLD)
    filler.unlink()
    costboost.save(model(NEW), path)
    assert path.read_bytes() == saved(NEW)


def test_a_limit_on_the_size_of_files(path: Path) -> None:
    code = """
        import resource, sys
        import costboost
        clf = costboost.load(sys.argv[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        try:
            costboost.save(clf, sys.argv[1])
        except OSError as error:
            print(error)
    """
    done = run(code, path)
    assert (
        "cannot be written: files may not be so large here; the file there is unchanged"
        in done.stdout
    )
    check_untouched(path)


def as_nobody(code: str, *arguments: Any) -> str:
    """Output of code that is run by a user without permissions."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    before = "import os, sys\nimport costboost\n{}\nos.setuid(65534)\n"
    load = "clf = costboost.load(sys.argv[1])"
    done = run(before.format(load) + textwrap.dedent(code), *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_that_may_not_be_read(path: Path) -> None:
    printed = as_nobody(
        """
        try:
            costboost.load(sys.argv[1])
        except PermissionError as error:
            print(error)
        """,
        path,
    )
    assert f"cannot be read: this user may not: '{path}'" in printed


def test_a_folder_that_may_not_be_written_to(path: Path) -> None:
    printed = as_nobody(
        """
        try:
            costboost.save(clf, sys.argv[1])
        except PermissionError as error:
            print(error)
        """,
        path,
    )
    assert "cannot be written: this user may not; nothing was changed" in printed
    check_untouched(path)


def test_a_file_that_may_not_be_written_to(path: Path) -> None:
    """A read-only file in a folder where every user may replace it."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / path.name
        target.write_bytes(path.read_bytes())
        os.chmod(folder, 0o777)
        target.chmod(0o444)
        printed = as_nobody(
            """
            try:
                costboost.save(clf, sys.argv[1])
            except PermissionError as error:
                print(error)
            """,
            target,
        )
        assert "cannot be written: this user may not; the file there is unchanged" in printed
        check_untouched(target)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file or folder; no file was created"):
        costboost.save(model(OLD), tmp_path / "nowhere" / "model.costboost")
    assert not os.listdir(tmp_path)


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "model.costboost").mkdir()
    with pytest.raises(IsADirectoryError, match="cannot be written: it is a folder, not a file"):
        costboost.save(model(OLD), tmp_path / "model.costboost")
    assert os.listdir(tmp_path) == ["model.costboost"]


def test_devices_and_pipes_are_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="cannot be written: it is not a regular file"):
        costboost.save(model(OLD), tmp_path / "pipe")
    assert os.listdir(tmp_path) == ["pipe"]


def test_what_goes_to_the_null_device_is_discarded() -> None:
    before = os.stat(os.devnull)
    costboost.save(model(OLD), os.devnull)
    after = os.stat(os.devnull)
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)


# ---- manners -------------------------------------------------------------------------------------


def test_rights_of_a_file_stay_and_new_ones_follow_the_umask(path: Path) -> None:
    path.chmod(0o640)
    costboost.save(model(NEW), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        costboost.save(model(NEW), path.with_name("other"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.with_name("other").stat().st_mode) == 0o640


def test_a_link_stays_a_link(path: Path) -> None:
    link = path.with_name("latest")
    link.symlink_to(path.name)
    costboost.save(model(NEW), link)
    assert link.is_symlink()
    assert path.read_bytes() == saved(NEW)


def test_names_may_be_long_and_strange(tmp_path: Path) -> None:
    for name in ("x" * 255, "a b'\"\n.costboost", "été", "-rf"):
        costboost.save(model(OLD), tmp_path / name)
        assert costboost.load(str(tmp_path / name)).n_iter_ == 6
    assert len(os.listdir(tmp_path)) == 4


def leftover(path: Path) -> Path:
    """A temporary file as a killed process leaves it."""
    left = path.with_name(f"{disk._temporary_prefix(path)}0123456789abcdef.tmp")
    left.write_bytes(b"half a mod")
    return left


def test_what_the_dead_have_left_is_swept_away(path: Path) -> None:
    left, other = leftover(path), leftover(path.with_name("another"))
    mine = path.with_name(".costboost-notes")
    mine.write_text("mine")
    costboost.save(model(NEW), path)
    assert not left.exists()
    assert other.exists()
    assert mine.exists()
    assert path.read_bytes() == saved(NEW)


def test_what_the_living_write_is_left_alone(path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    left = leftover(path)
    with left.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        costboost.save(model(NEW), path)
        assert left.exists()
    costboost.save(model(NEW), path)
    assert not left.exists()


def test_a_temporary_file_swept_away_too_early_is_made_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove a temporary file before it is locked."""
    own, swept = disk._lock, []

    def late(handle: int) -> bool:
        if not swept:
            for left in path.parent.glob(".costboost-*"):
                swept.append(left)
                left.unlink()
        return own(handle)

    monkeypatch.setattr(disk, "_lock", late)
    costboost.save(model(NEW), path)
    assert len(swept) == 1
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == saved(NEW)


def test_many_writers_at_once(path: Path) -> None:
    """Eight threads save to one path; each file that is read in between is whole."""
    names = [OLD, NEW, "isotonic", "CSLogitBoostClassifier"]
    known = {saved(name) for name in names}
    failed: list[BaseException] = []

    def keep_saving(name: str) -> None:
        try:
            for _ in range(15):
                costboost.save(model(name), path)
                assert path.read_bytes() in known
        except BaseException as error:
            failed.append(error)

    workers = [threading.Thread(target=keep_saving, args=(name,)) for name in names * 2]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed
    assert os.listdir(path.parent) == [path.name]


def test_a_file_can_be_replaced_while_another_reads_it(path: Path) -> None:
    with path.open("rb") as reader:
        costboost.save(model(NEW), path)
        assert reader.read() == saved(OLD)
    assert len(costboost.load(path).predict(rows_of(NEW))) == len(X)


REPLACING = """
import itertools, os, sys
from pathlib import Path
folder = Path(sys.argv[1])
files = [(folder / name).read_bytes() for name in ("old", "new")]
sys.stdout.write("at work")
sys.stdout.flush()
for data in itertools.cycle(files):
    (folder / "next").write_bytes(data)
    os.replace(folder / "next", folder / "model.costboost")
"""


def test_a_file_is_loaded_whole_while_it_is_being_replaced(path: Path) -> None:
    """Old and new differ in length; a load in between must not take the length of one for both."""
    for name, clf in (("old", OLD), ("new", "isotonic")):
        (path.parent / name).write_bytes(saved(clf))
    assert len(saved(OLD)) != len(saved("isotonic"))
    command = [sys.executable, "-c", REPLACING, str(path.parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.read(7) == b"at work"
        try:
            found = {disk.read(path, 2**30) for _ in range(3000)}
        finally:
            other.kill()
    assert found == {saved(OLD), saved("isotonic")}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        costboost.load(tmp_path / "pipe")

"""The examples of the package, the guide and the notebook run as they are written."""

import ast
import doctest
import importlib
import json
import os
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

import zermelo

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "guide" / "python.md"
NOTEBOOK = ROOT / "docs" / "guide" / "connect4.ipynb"


@pytest.mark.parametrize("module", [f"zermelo.{name}" for _, name, _ in pkgutil.iter_modules(zermelo.__path__)])
def test_examples_of_the_package(module, data):
    if module in ("zermelo._zermelo", "zermelo.__main__"):
        pytest.skip("it has no examples")
    failed, _ = doctest.testmod(importlib.import_module(module), extraglobs={"tmp": data})
    assert failed == 0


def test_the_package_has_examples(data):
    assert doctest.testmod(zermelo, extraglobs={"tmp": data}).attempted > 0


def blocks(text):
    """The blocks of a page: language, first line, and text."""
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        yield found[1], text[: found.start()].count("\n") + 2, found[2]


def shown(source, names, file, line):
    """Runs a block; what its last line gives, if that is an expression."""
    tree = ast.parse("\n" * (line - 1) + source, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), names)
    if last is not None:
        return eval(compile(ast.Expression(last.value), file, "eval"), names)
    return None


def said(source):
    """What a block says its last line gives: the comment at its end."""
    comment = re.search(r"#\s*(.*)\s*$", source.rstrip().splitlines()[-1])
    return comment[1] if comment else None


def run_command(line, wanted):
    """Runs a command of the guide, which must print lines that begin as those below it, in this order."""
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert done.returncode == 0, (line, done.stderr)
    printed = iter((done.stdout + done.stderr).splitlines())
    for want in (want.strip() for want in wanted if want.strip() not in ("", "...")):
        assert any(out.strip().startswith(want) for out in printed), (line, want, done.stdout, done.stderr)


@pytest.fixture
def quiet_plots(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


def test_every_block_of_the_guide_runs(quiet_plots):
    names, ran = {"__name__": "guide"}, 0
    for language, line, source in blocks(GUIDE.read_text()):
        if language == "python":
            value, want = shown(source, names, str(GUIDE), line), said(source)
            if want is not None:
                assert want in (str(value), repr(value)), f"line {line}: {value!r}, and the guide says {want}"
            ran += 1
        elif language == "console":
            for part in re.split(r"^\$ ", source, flags=re.M)[1:]:
                command, *wanted = part.splitlines()
                # The package is installed by whoever runs the tests.
                if not command.startswith(("git ", "cd ", "python3 -m venv", ". ", "pip ")):
                    run_command(command, wanted)
                    ran += 1
        else:
            assert language == "text", f"line {line}: a block of {language} is not run"
    assert ran >= 10
    assert os.path.exists("own-game.svg"), "the plot of one's own game"


def test_every_cell_of_the_notebook_runs(quiet_plots):
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    names = {"__name__": "notebook"}
    values = [
        shown("".join(cell["source"]), names, f"cell {n}", 1)
        for n, cell in enumerate(cells)
        if cell["cell_type"] == "code"
    ]
    assert len(values) >= 6 and any(hasattr(value, "_repr_svg_") for value in values)
    assert names["best_in_the_centre"] > 0

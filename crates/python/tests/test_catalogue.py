"""Games of the catalogue: the same answers, and the same words, as on the command line."""

import json
import signal
import subprocess
import urllib.request

import numpy
import pandas
import pytest

import zermelo
from zermelo import InputError, ZermeloError


def command(*args, **options):
    """What the command line says."""
    return subprocess.run(["zermelo", *map(str, args)], capture_output=True, text=True, **options)


def test_the_games_are_those_of_the_command_line():
    listed = {game["name"]: game for game in json.loads(command("games", "--json").stdout)}
    assert [game.name for game in zermelo.games()] == list(listed)
    for game in zermelo.games():
        assert (game.title, game.rules) == (listed[game.name]["title"], listed[game.name]["rules"])
        assert {option.name for option in game.options} == {o["name"] for o in listed[game.name]["options"]}
    quixo = next(game for game in zermelo.games() if game.name == "quixo")
    assert str(quixo).startswith("quixo: ") and "retrograde" in quixo.engines and len(quixo.examples) > 1


def test_answers_are_those_of_the_command_line(data, mnk):
    for text in ("1_---------", "2_----x----", "2_x---o---x", "1_xxooox---", "2_xxx-oo---"):
        answer = json.loads(command("query", "mnk", text, "--json", "--data", data).stdout)
        at = mnk.position(text)
        assert (at.value.value, at.value.remoteness) == (answer["value"], answer["remoteness"])
        rows = [(m["move"], m["position"], m["value"], m["mover"]["remoteness"]) for m in answer["moves"]]
        moves = [(m.name, m.position, m.value.value, m.worth.remoteness) for m in at.moves]
        assert moves == rows
        assert at.over == (text == "2_xxx-oo---")
    line = json.loads(command("query", "mnk", "--line", "--json", "--data", data).stdout)["line"]
    assert list(mnk.line()) == line and len(mnk.line()) == 9 and str(mnk.line()).startswith(line[0])
    assert mnk.start.play("b2 a1").text == "1_----x-o--"


def test_values_in_bulk_are_those_of_query(data):
    db = zermelo.solve("quixo:rows=3,cols=3,line=3", data=data)
    packed = db.sample(2000, seed=5)
    assert packed.shape == (2000, 3) and (packed == db.sample(2000, seed=5)).all()
    texts = db.unpack(packed)
    assert (db.pack(texts) == packed).all()
    values = db.values(packed)
    assert values.value.dtype == numpy.uint8 and values.remoteness.dtype == numpy.int32
    for other in (db.values(texts), db.values(numpy.array(texts)), db.values([db.position(t) for t in texts])):
        assert (other.value == values.value).all() and (other.remoteness == values.remoteness).all()
    told = command("query", db.name, "-", "--json", "--data", data, input="\n".join(texts)).stdout
    answers = [json.loads(line) for line in told.splitlines()]
    assert [zermelo.KINDS[kind] for kind in values.value] == [answer["value"] for answer in answers]
    numbers = [-1 if answer["remoteness"] is None else answer["remoteness"] for answer in answers]
    assert values.remoteness.tolist() == numbers
    assert len(set(values.value)) > 1
    empty = db.values([])
    assert empty.value.shape == (0,) and db.pack([]).shape == (0, 3)


def test_counts_are_those_of_analyze(data, mnk):
    told = json.loads(command("analyze", "mnk", "--json", "--data", data).stdout)
    counts = mnk.counts()
    assert counts["counts"] == told["counts"] and counts["longest"] == told["longest"]
    frame = mnk.analyze()
    assert isinstance(frame, pandas.DataFrame) and frame["positions"].sum() == 5478
    assert frame["canonical"].sum() == 765
    assert list(frame.columns) == ["value", "remoteness", "positions", "canonical"]
    best = frame[(frame["value"] == "tie") & (frame["remoteness"] == 9)]
    assert best["positions"].tolist() == [1]
    quixo = zermelo.solve("quixo:rows=3,cols=3,line=3", data=data)
    assert quixo.analyze(threads=1, memory="1G")["positions"].sum() == quixo.counts()["positions"]


def test_tiers_have_codes(data, mnk):
    tiers = list(mnk)
    assert len(tiers) == len(mnk.tiers()) == 10
    for tier in tiers:
        codes = tier.codes()
        assert len(codes) == tier.entries == len(tier) and codes.dtype.itemsize in (1, 2)
        assert "Tier" in repr(tier)
    largest = max(tiers, key=len)
    found = [largest.position(n) for n in range(20)]
    assert all(at is None or at.value for at in found) and any(found)
    with pytest.raises(InputError, match="numbers from 0 to"):
        largest.position(len(largest))


def test_random_positions_have_what_is_wanted(mnk):
    assert str(mnk.random(value="lose", remoteness=2).value) == "lose in 2"
    assert mnk.random(value="draw", time=0.1) is None
    assert mnk.random().value
    with pytest.raises(InputError, match="want win, lose, tie or draw"):
        mnk.random(value="won")


def test_boards_are_drawn(data, mnk):
    picture = mnk.position("2_----x----")._repr_svg_()
    assert picture.startswith("<svg ") and picture.count("<title>") == 9 and "tie in 8" in picture
    assert str(mnk.position("2_----x----")) == "- - -\n- x -\n- - -"
    assert repr(mnk.start) == "<Position 1_--------- of mnk: tie in 9>"
    assert mnk.start == mnk.position("1_---------") and len({mnk.start, mnk.position("1_---------")}) == 1
    assert mnk.start != "1_---------"


def test_margins_and_nimbers_stand_beside_values(data):
    nim = zermelo.solve("nim:heaps=1-2-4", data=data)
    assert nim.value().nimber is None
    zermelo.solve("nim:heaps=1-2-4", objective="nimber", data=data)
    nim = zermelo.open("nim:heaps=1-2-4", data=data)
    assert nim.value().nimber == 7 and str(nim.value()).endswith(", nimber 7")
    kalah = zermelo.solve("kalah:pits=2,seeds=2", objective="margin", data=data)
    value = kalah.value()
    assert value.remoteness is None and value.margin is not None and kalah.objective == "margin"
    assert kalah.moves()[0].worth.margin == value.margin


def test_without_a_database_positions_are_searched(tmp_path):
    db = zermelo.open("mnk", data=tmp_path)
    assert not db.solved and str(db.value("1_xxooox---").value) in ("win", "tie", "lose")
    assert db.tiers() == [] and not zermelo.open("mnk", data=tmp_path, search=0).value()
    for call in (db.counts, lambda: db.sample(3)):
        with pytest.raises(InputError, match="there is no database of mnk"):
            call()


def test_a_stopped_solve_goes_on(tmp_path):
    seen = []

    def stop(text, share):
        seen.append((text, share))
        signal.raise_signal(signal.SIGINT)

    name = "quixo:rows=4,cols=4,line=4"
    with pytest.raises(KeyboardInterrupt):
        zermelo.solve(name, data=tmp_path, threads=1, progress=stop)
    assert seen and seen[0][0].startswith("solve [") and 0 <= seen[0][1] <= 1
    assert not zermelo.open(name, data=tmp_path).solved
    db = zermelo.solve(name, data=tmp_path)
    assert db.solved and str(db.value()) == "win in 21"
    many = db.sample(20_000, seed=1)
    assert (db.values(many).value != zermelo.UNKNOWN).all()


def test_progress_is_drawn(tmp_path, capsys):
    zermelo.solve("quixo:rows=4,cols=4,line=4", data=tmp_path, progress=True)
    drawn = capsys.readouterr().err
    assert "solve [" in drawn and drawn.endswith("\r")


def test_a_callback_that_fails_ends_the_solve(tmp_path):
    def fail(*_):
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        zermelo.solve("quixo:rows=4,cols=4,line=4", data=tmp_path, progress=fail)


def test_the_page_is_served(mnk):
    with mnk.serve() as page:
        assert page.url in repr(page) and page.url in page._repr_html_()
        base = page.url.removesuffix("/mnk/default")
        with urllib.request.urlopen(f"{base}/api/v1/games/mnk/default/position?p=2_----x----") as answer:
            assert json.loads(answer.read())["remoteness"] == 8
        with pytest.raises(ZermeloError, match="cannot listen"):
            mnk.serve(listen=base.removeprefix("http://"))
    assert not page.running
    page.stop()
    with pytest.raises(InputError, match="want an address and a port"):
        mnk.serve(listen="nowhere")


def test_play_needs_a_terminal(mnk):
    with pytest.raises(ZermeloError, match="play needs a terminal"):
        mnk.play()


@pytest.mark.parametrize(
    ("args", "call"),
    [
        (("query", "chess"), lambda: zermelo.open("chess")),
        (("query", "mnk:rows=99"), lambda: zermelo.open("mnk:rows=99")),
        (("solve", "mnk", "--engine", "unmoves"), lambda: zermelo.solve("mnk", engine="unmoves")),
        (("solve", "mnk", "--objective", "margin"), lambda: zermelo.solve("mnk", objective="margin")),
        (("solve", "graph:file=none"), lambda: zermelo.solve("graph:file=none")),
        (("solve", "graph:list=none-1"), lambda: zermelo.solve("graph:list=none-1")),
        (("query", "mnk", "1_---"), lambda: zermelo.open("mnk").value("1_---")),
        (("query", "mnk", "3_---------"), lambda: zermelo.open("mnk").value("3_---------")),
    ],
)
def test_errors_have_the_words_of_the_command_line(args, call):
    told = command(*args)
    assert told.returncode == 2
    with pytest.raises(InputError) as raised:
        call()
    assert told.stderr.strip().removeprefix("zermelo: ") == str(raised.value)


def test_a_damaged_database_is_an_error(tmp_path):
    zermelo.solve("mnk", data=tmp_path)
    tables = tmp_path / "mnk" / "default" / "tables.zmo"
    tables.write_bytes(tables.read_bytes()[:200])
    with pytest.raises(ZermeloError, match="tables.zmo"):
        zermelo.open("mnk", data=tmp_path).value()


@pytest.mark.parametrize(
    "call",
    [
        lambda db: db.value(7),
        lambda db: db.value(""),
        lambda db: db.value("1_" + "-" * 5000),
        lambda db: db.value(["1_---------"]),
        lambda db: db.position(None),
        lambda db: db.start.play("z9"),
        lambda db: db.values("1_---------"),
        lambda db: db.values(["1_---------", "x"]),
        lambda db: db.values(["1_---------", 3]),
        lambda db: db.values(numpy.zeros((2, 2), dtype="u8")),
        lambda db: db.values(numpy.zeros((2, 3), dtype="i8")),
        lambda db: db.values(numpy.zeros((2, 3), dtype="u8")),
        lambda db: db.values(numpy.full((2, 3), 2**64 - 1, dtype="u8")),
        lambda db: db.unpack([1, 2]),
        lambda db: db.unpack(numpy.array([[1, 2**63, 5]], dtype="u8")),
        lambda db: db.sample(-1),
        lambda db: db.random(value="win in 3"),
        lambda db: zermelo.solve("mnk", memory="lots"),
        lambda db: zermelo.solve("mnk", memory=0),
        lambda db: zermelo.solve("mnk", threads=0),
        lambda db: zermelo.solve("mnk", threads="two"),
        lambda db: zermelo.open(7),
        lambda db: zermelo.open("mnk", data="no such folder"),
        lambda db: zermelo.open("connect4").value(db.start),
    ],
)
def test_bad_input_is_refused(mnk, call):
    with pytest.raises(InputError):
        call(mnk)


def test_a_bad_item_is_named(mnk):
    with pytest.raises(InputError, match="item 1 of the list: position"):
        mnk.values(["1_---------", "1_---"])
    with pytest.raises(InputError, match="row 1 of the array"):
        array = mnk.pack(["1_---------", "1_---------"]).copy()
        array[1, 1] = 1 << 40
        mnk.values(array)


def test_little_memory_is_an_error(tmp_path):
    with pytest.raises(ZermeloError, match="of memory"):
        zermelo.solve("connect4", data=tmp_path, memory="1M")


def test_the_program_comes_with_the_package(data, mnk):
    assert command("--version").stdout.strip() == f"zermelo {zermelo.__version__}"
    assert command("query", "mnk", "--data", data).returncode == 0
    module = subprocess.run(["python", "-m", "zermelo", "query", "nosuch"], capture_output=True, text=True)
    assert module.returncode == 2 and "there is no game" in module.stderr

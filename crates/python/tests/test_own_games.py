"""Games written in Python: their values against other sources, and against an oracle that shares no idea with the solver."""

import gc
import random
import subprocess

import pytest
from own_games import Hounds, Listed, Nim, TicTacToe

import zermelo
from zermelo import GameError, InputError


def test_tic_tac_toe(mnk):
    game = TicTacToe().solve()
    assert len(game) == 5478
    assert str(game.value()) == "tie in 9"
    counts, own = mnk.counts(), game.counts()
    assert own["positions"] == counts["positions"] == 5478
    assert own["counts"] == counts["counts"]
    assert game.value("xx-oo----").value == "win"
    # The catalogue's game has the same values, position by position.
    words = [f"{1 if p.count('-') % 2 else 2}_{p}" for p in game.states]
    own, known = game.values(), mnk.values(words)
    assert own.value.tolist() == known.value.tolist()
    assert own.remoteness.tolist() == known.remoteness.tolist()


def test_hare_and_hounds():
    game = Hounds().solve()
    counts = game.counts()["counts"]
    sums = [sum(counts[word].values()) for word in ("win", "lose")] + [counts["draw"]]
    assert sums == [999, 574, 543]
    assert str(game.value()) == "win in 23"
    line = game.line()
    assert line.complete and len(line) == 23 and game.value(line.positions[-1]).value == "lose"


def oracle(positions, again=frozenset()):
    """The values of a list of positions, by looking ever further ahead: beyond what is looked at, play is a draw."""
    key = {"win": lambda r: (0, r), "tie": lambda r: (1, r), "draw": lambda r: (2, 0), "lose": lambda r: (3, -r)}
    other = {"win": "lose", "lose": "win", "tie": "tie", "draw": "draw"}
    values = [(p, 0) if isinstance(p, str) else ("draw", None) for p in positions]

    def worth(p, m):
        word, number = values[positions[p][m]]
        word = word if (p, m) in again else other[word]
        if word == "draw" or word == "tie" and number >= len(positions):
            # In a loop a tie may be put off for ever by waiting for a win that never comes.
            return ("draw", None)
        return (word, number + 1)

    while True:
        best = [
            value
            if isinstance(moves, str)
            else min((worth(p, m) for m in range(len(moves))), key=lambda v: key[v[0]](v[1]))
            for p, (moves, value) in enumerate(zip(positions, values))
        ]
        if best == values:
            return values
        values = best


def drawn(dice, loops):
    """A random list: without loops every move leads to a later position."""
    many = dice.randrange(1, 30)
    positions = []
    for p in range(many):
        later = range(many) if loops else range(p + 1, many)
        if dice.random() < 0.25 or not later:
            positions.append(dice.choice(["win", "lose", "tie"]))
        else:
            positions.append([dice.choice(later) for _ in range(dice.randrange(1, 4))])
    return positions


def same(game, positions, values):
    solved = game.solve()
    for p in solved.states:
        value = solved.value(p)
        assert (value.value, value.remoteness) == values[p], (positions, p)
    everything = solved.values()
    assert [zermelo.KINDS[kind] for kind in everything.value] == [values[p][0] for p in solved.states]
    for p in solved.states:
        if isinstance(positions[p], str):
            continue
        for move in solved.moves(p):
            repeats = game.repeats and (p, move.move) in game.repeats
            assert move.position == positions[p][move.move] and bool(move.again) == bool(repeats)
            assert move.value == solved.value(move.position)
        best = solved.moves(p)[0].worth
        assert (best.value, best.remoteness) == values[p], (positions, p)
    return solved


def test_loops_and_ties_equal_the_oracle():
    dice, loopy, kinds = random.Random(1), 0, set()
    for _ in range(500):
        positions = drawn(dice, loops=True)
        values = oracle(positions)
        solved = same(Listed(positions), positions, values)
        loopy += solved.engine == "retrograde"
        kinds |= {values[p][0] for p in solved.states}
    assert loopy > 100 and kinds == {"win", "lose", "tie", "draw"}


def test_moves_again_equal_the_oracle():
    dice = random.Random(2)
    for _ in range(100):
        positions = drawn(dice, loops=False)
        moves = [(p, m) for p, list in enumerate(positions) if not isinstance(list, str) for m in range(len(list))]
        again = frozenset(move for move in moves if dice.random() < 0.4)
        same(Listed(positions, again), positions, oracle(positions, again))


def test_margins_equal_the_oracle():
    dice = random.Random(3)
    for _ in range(50):
        positions = drawn(dice, loops=False)
        sign = {"win": 1, "lose": -1, "tie": 0}
        margins = [sign[p] * dice.randrange(1, 500) if isinstance(p, str) else 0 for p in positions]
        best = list(margins)
        for p in reversed(range(len(positions))):
            if not isinstance(positions[p], str):
                best[p] = max(-best[child] for child in positions[p])
        beside = Listed(positions, margins=margins).solve()
        alone = Listed(positions, margins=margins).solve(objective="margin")
        for p in beside.states:
            assert beside.value(p).margin == alone.value(p).margin == best[p]
            assert beside.value(p).remoteness is not None or beside.value(p).value == "draw"
        assert alone.objective == "margin" and beside.objective == "remoteness"
        if not isinstance(positions[0], str):
            assert max(move.worth.margin for move in beside.moves()) == best[0]


def test_nimbers_are_sums_without_carrying(data):
    game = Nim(3, 4, 5).solve()
    assert len(game) == 4 * 5 * 6
    for p in game.states:
        assert game.value(p).nimber == p[0] ^ p[1] ^ p[2]
    known = zermelo.solve("nim", data=data)
    assert (game.value().value, game.value().remoteness) == (known.value().value, known.value().remoteness)
    assert Nim(1, 1).solve(objective="nimber").value().nimber == 0


def test_everything_works_on_a_game_of_ones_own(tmp_path):
    game = TicTacToe().solve()
    assert repr(game.start).startswith("<Position 1_---/---/---")
    assert str(game.start.play("4")) == "- - -\n- x -\n- - -"
    assert game.start.svg().count("<title>") == 10 and game.start._repr_svg_() == game.start.svg()
    line = game.line()
    assert line.complete and len(line) == 9 and len(line.positions) == 9
    frame = game.analyze()
    assert frame["positions"].sum() == 5478
    found = game.random(value="lose", remoteness=2)
    assert str(found.value) == "lose in 2" and found.state in game.states
    assert game.unpack(game.pack(["-" * 9, "x" + "-" * 8])) == ["-" * 9, "x" + "-" * 8]
    assert set(game.unpack(game.sample(100, seed=4))) <= set(game.states)
    assert [tier.entries for tier in game] == [5478]
    with game.serve() as page:
        assert page.running and "/graph/list=tictactoe-" in page.url


def test_a_saved_game_is_for_the_command_line(tmp_path):
    game = TicTacToe().solve()
    file = game.save(tmp_path / "data")
    name = f"graph:file={file}"
    command = ["zermelo", "query", name, "1_---/---/---", "--data", str(tmp_path / "data"), "--json"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert '"remoteness":9' in told and '"source":"database"' in told
    verified = subprocess.run(
        ["zermelo", "verify", name, "--data", str(tmp_path / "data")], capture_output=True, text=True, check=True
    )
    assert "0 wrong" in verified.stdout
    again = zermelo.open(name, data=tmp_path / "data")
    assert again.solved and again.value("2_---/-x-/---").remoteness == 8
    assert again.counts() == game.counts()
    # With a data directory of its own, a game is kept from the beginning.
    kept = TicTacToe().solve(data=tmp_path / "data")
    assert kept.data == tmp_path / "data" and len(list((tmp_path / "data" / "graph").glob("*.graph"))) == 1
    changed = file.read_text().replace("lose", "tie", 1)
    file.write_text(changed)
    told = subprocess.run(command, capture_output=True, text=True).stdout
    assert '"source":"database"' not in told, "a changed list is another variant"


def test_temporary_databases_go_away():
    game = TicTacToe().solve()
    place = game.data
    assert place.is_dir()
    del game
    gc.collect()
    assert not place.exists()


class Faulty(Listed):
    """A game whose method does something else in one position."""

    def __init__(self, **methods):
        super().__init__([[1, 2], [2], "lose"])
        for name, method in methods.items():
            setattr(self, name, method)


def raises(error):
    def method(*_):
        raise error

    return method


def counting(_):
    n = 0
    while True:
        yield n
        n += 1


@pytest.mark.parametrize(
    ("methods", "part", "cause"),
    [
        ({"start": lambda: [1]}, "Faulty.start(): positions must be hashable", TypeError),
        ({"start": raises(KeyError("x"))}, "Faulty.start(): KeyError: 'x'", KeyError),
        ({"moves": lambda p: 7}, "Faulty.moves(0): TypeError", TypeError),
        ({"moves": lambda p: []}, "Faulty.moves(0): it gives no move, though outcome(p)", None),
        ({"moves": raises(ValueError("no"))}, "Faulty.moves(0): ValueError: no", ValueError),
        ({"moves": counting, "play": lambda p, m: 1}, "Faulty.moves(0): it gives more than 100,000 moves", None),
        ({"play": lambda p, m: {}}, "Faulty.play(0): positions must be hashable", TypeError),
        ({"play": raises(IndexError())}, "Faulty.play(0): IndexError", IndexError),
        ({"play": lambda p, m: p + 1, "outcome": lambda p: None, "moves": lambda p: [0]}, "more than 1,000", None),
        ({"outcome": lambda p: "won"}, "Faulty.outcome(0): it gives 'won': want 'win', 'lose', 'tie' or None", None),
        ({"outcome": lambda p: True}, "Faulty.outcome(0): it gives True", None),
        ({"outcome": lambda p: []}, "Faulty.outcome(0): it gives []", None),
        ({"outcome": raises(RecursionError("deep"))}, "Faulty.outcome(0): RecursionError: deep", RecursionError),
        ({"show": lambda p: ""}, "Faulty.show(0): it gives ''", None),
        ({"show": lambda p: "x\0"}, "Faulty.show(0): it gives 'x\\x00'", None),
        ({"show": lambda p: "x" * 5000}, "Faulty.show(0)", None),
        ({"show": lambda p: "alike"}, "Faulty.show(1): its text 'alike' is also that of 0", None),
        ({"show": raises(ValueError("no"))}, "Faulty.show(0): ValueError: no", ValueError),
        ({"show_move": lambda p, m: "go"}, "two moves are called \"go\"", InputError),
        ({"show_move": raises(ValueError("no"))}, "Faulty.show_move(0): ValueError: no", ValueError),
        ({"margin": lambda p: 3}, "Faulty.margin(2): it gives 3, and outcome(p) gives 'lose'", None),
        ({"margin": lambda p: -40_000}, "Faulty.margin(2): it gives -40000: want a whole number", None),
        ({"margin": lambda p: None}, "Faulty.margin(2): it gives None", None),
        ({"margin": raises(ValueError("no"))}, "Faulty.margin(2): ValueError: no", ValueError),
        ({"again": raises(ValueError("no"))}, "Faulty.again(0): ValueError: no", ValueError),
    ],
)
def test_faults_name_the_method_and_the_position(methods, part, cause, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(GameError) as raised:
        zermelo.solve(Faulty(**methods), positions=1000)
    assert part in str(raised.value)
    assert raised.value.__cause__ is None if cause is None else isinstance(raised.value.__cause__, cause)
    assert list(tmp_path.iterdir()) == [], "something was left behind"


def test_no_engine_for_loops_and_moves_again():
    game = Listed([[1, 2], [0, 2], "lose"], again=frozenset({(0, 0)}))
    with pytest.raises(GameError, match="play can return to it, and elsewhere a player moves again"):
        game.solve()


def test_what_is_no_game(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for thing in (None, 7, object(), TicTacToe, ["mnk"]):
        with pytest.raises((InputError, GameError)):
            zermelo.solve(thing)
    with pytest.raises(GameError, match="NotImplementedError: the game has no method start"):
        zermelo.solve(zermelo.Game())
    with pytest.raises(InputError, match="positions 0"):
        TicTacToe().solve(positions=0)
    with pytest.raises(GameError, match="more than 100 positions"):
        TicTacToe().solve(positions=100)
    loops = Listed([[1, 2], [0, 2], "lose"], margins=[0, 0, -3])
    with pytest.raises(GameError, match="play can return to 0, so that it has no margins"):
        loops.solve(objective="margin")
    assert loops.solve().value().margin is None
    with pytest.raises(InputError, match="cannot be solved for margin"):
        TicTacToe().solve(objective="margin")
    with pytest.raises(InputError, match="cannot be solved for nimber"):
        TicTacToe().solve(objective="nimber")
    gc.collect()
    assert list(tmp_path.iterdir()) == [], "something was left behind"


def test_positions_that_no_play_comes_to():
    game = TicTacToe().solve()
    for position in ("xxx------x", "x" * 9, 7, None, [1]):
        if position is not None:
            with pytest.raises(InputError):
                game.value(position)
        with pytest.raises(InputError):
            game.position(position)
    with pytest.raises(InputError, match="no play from the start comes to 'o--------'"):
        game.value("o--------")
    with pytest.raises(InputError, match="no play from the start"):
        game.values(["-" * 9, "o--------"])
    with pytest.raises(InputError, match="want a list"):
        game.values("-" * 9)


def test_stopped_by_hand(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    class Stopped(TicTacToe):
        def moves(self, p):
            if p.count("-") == 5:
                raise KeyboardInterrupt
            return super().moves(p)

    with pytest.raises(KeyboardInterrupt):
        Stopped().solve()
    assert list(tmp_path.iterdir()) == []


class Long(zermelo.Game):
    """A round of 120,000 positions that never ends."""

    def start(self):
        return 0

    def moves(self, p):
        return [1] if p < 119_999 else [1, 2]

    def play(self, p, m):
        return (p + m) % 120_000

    def outcome(self, p):
        return None


def test_progress_of_finding_positions(capsys):
    seen = []
    game = Long().solve(progress=lambda text, share: seen.append(text))
    assert [text for text in seen if text.startswith("find")][0] == "find  50,000 positions, 0 known besides"
    assert str(game.value()) == "draw" and len(game) == 120_000

    def fail(*_):
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        Long().solve(progress=fail)
    Long().solve(progress=True)
    assert "find  100,000 positions" in capsys.readouterr().err


def test_a_page_keeps_its_game():
    page = TicTacToe().solve().serve()
    gc.collect()
    place = page._database.data
    assert place.is_dir() and page.running
    page.stop()
    del page
    gc.collect()
    assert not place.exists()

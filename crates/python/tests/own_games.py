"""Games written in Python, for the tests."""

import zermelo


class TicTacToe(zermelo.Game):
    """Tic-tac-toe, as short as it gets."""

    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def start(self):
        return "-" * 9

    def moves(self, p):
        return [cell for cell in range(9) if p[cell] == "-"]

    def play(self, p, m):
        return p[:m] + "xo"[p.count("x") > p.count("o")] + p[m + 1 :]

    def outcome(self, p):
        if any(p[a] == p[b] == p[c] != "-" for a, b, c in self.lines):
            return "lose"
        return None if "-" in p else "tie"

    def show(self, p):
        return "\n".join([p[:3], p[3:6], p[6:]])


class Hounds(zermelo.Game):
    """Hare and Hounds on eleven points: the hounds never go back, and win when the hare cannot move."""

    columns = [1, 2, 3, 0, 1, 2, 3, 4, 1, 2, 3]
    roads = [
        [(1, 0), (2, 0), (3, 0)],
        [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)],
        [(1, 2), (2, 2), (3, 2)],
        [(1, 0), (1, 1), (1, 2)],
        [(2, 0), (2, 1), (2, 2)],
        [(3, 0), (3, 1), (3, 2)],
        [(0, 1), (1, 0)],
        [(0, 1), (1, 2)],
        [(1, 0), (2, 1), (3, 2)],
        [(1, 2), (2, 1), (3, 0)],
        [(3, 0), (4, 1)],
        [(3, 2), (4, 1)],
    ]

    def __init__(self):
        points = [(1, 0), (2, 0), (3, 0), *((x, 1) for x in range(5)), (1, 2), (2, 2), (3, 2)]
        number = {point: n for n, point in enumerate(points)}
        self.near = [set() for _ in points]
        for road in self.roads:
            for one, other in zip(road, road[1:]):
                self.near[number[one]].add(number[other])
                self.near[number[other]].add(number[one])

    def start(self):
        return (frozenset({0, 3, 8}), 7, False)

    def _moves(self, p):
        hounds, hare, runs = p
        for at in [hare] if runs else sorted(hounds):
            for to in sorted(self.near[at] - hounds - {hare}):
                if runs or self.columns[to] >= self.columns[at]:
                    yield (at, to)

    def moves(self, p):
        return self._moves(p)

    def play(self, p, m):
        hounds, hare, runs = p
        at, to = m
        return (hounds, to, False) if runs else ((hounds - {at}) | {to}, hare, True)

    def outcome(self, p):
        hounds, hare, runs = p
        if min(self.columns[at] for at in hounds) >= self.columns[hare]:
            return "win" if runs else "lose"
        return None if any(True for _ in self._moves(p)) else "lose"

    def show(self, p):
        hounds, hare, runs = p
        return "".join("x" if n in hounds else "o" if n == hare else "-" for n in range(11)) + "hr"[runs]


class Nim(zermelo.Game):
    """Nim: take any number from one heap; whoever takes the last one wins."""

    impartial = True

    def __init__(self, *heaps):
        self.heaps = heaps

    def start(self):
        return self.heaps

    def moves(self, p):
        return [(n, left) for n, heap in enumerate(p) for left in range(heap)]

    def play(self, p, m):
        n, left = m
        return (*p[:n], left, *p[n + 1 :])

    def outcome(self, p):
        return None if any(p) else "lose"


class Listed(zermelo.Game):
    """A game given by its positions: a list of moves, or an outcome."""

    def __init__(self, positions, again=frozenset(), margins=None):
        self.positions = positions
        self.repeats = again
        if again:
            self.again = lambda p, m: (p, m) in self.repeats
        if margins is not None:
            self.margin = lambda p: margins[p]

    def start(self):
        return 0

    def moves(self, p):
        return range(len(self.positions[p]))

    def play(self, p, m):
        return self.positions[p][m]

    def outcome(self, p):
        return self.positions[p] if isinstance(self.positions[p], str) else None

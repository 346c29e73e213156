// Teeko on a device: see `teeko.rs`. Constants: ROWS, COLS, MEN of both players, LINE, and the largest SQUARE that wins.

struct Near {
    Set cells[CELLS];
};

constexpr Near all_near() {
    Near near{};
    for (int cell = 0; cell < CELLS; cell++)
        for (int other = 0; other < CELLS; other++) {
            const int down = other / COLS - cell / COLS, right = other % COLS - cell % COLS;
            if (other != cell && down >= -1 && down <= 1 && right >= -1 && right <= 1) near.cells[cell] |= bit(other);
        }
    return near;
}

// The cells a king's move away.
TABLE Near NEAR = all_near();

// Whether a set has the corners of a square with sides of SIZE steps or fewer.
template <int SIZE> DEV bool has_square(Set set) {
    if constexpr (SIZE == 0) return false;
    else {
        constexpr Set begin = beginnings(1, 1, SIZE + 1);
        const Set across = set & (set >> SIZE);
        return (across & (across >> (SIZE * COLS)) & begin) != 0 || has_square<SIZE - 1>(set);
    }
}

DEV bool wins(Set men) { return has_line<LINE>(men) || has_square<SQUARE>(men); }

DEV Set empty_cells(Position p) { return FULL & ~(p.own | p.other); }

DEV bool moves_men(Position p) { return count(p.own) + count(p.other) == MEN; }

DEV bool possible(Position) { return true; }

DEV u32 outcome(Position p) {
    if (wins(p.other) || wins(p.own)) return LOST;
    if (!moves_men(p)) return GOES_ON;
    const Set empty = empty_cells(p);
    for (Set men = p.own; men; men &= men - 1)
        if (NEAR.cells[lowest(men)] & empty) return GOES_ON;
    return LOST;
}

template <class F> DEV void moves(Position p, F visit) {
    const Set empty = empty_cells(p);
    if (!moves_men(p)) {
        for (Set to = empty; to; to &= to - 1)
            if (!visit(Position{p.other, p.own | (to & (~to + 1))}, false)) return;
        return;
    }
    for (Set men = p.own; men; men &= men - 1) {
        const int from = lowest(men);
        for (Set to = NEAR.cells[from] & empty; to; to &= to - 1)
            if (!visit(Position{p.other, (p.own & ~bit(from)) | (to & (~to + 1))}, true)) return;
    }
}

template <class F> DEV void unmoves(Position p, F visit) {
    if (!moves_men(p)) return;
    const Set empty = empty_cells(p);
    for (Set men = p.other; men; men &= men - 1) {
        const int to = lowest(men);
        for (Set from = NEAR.cells[to] & empty; from; from &= from - 1)
            visit(Position{(p.other & ~bit(to)) | (from & (~from + 1)), p.own});
    }
}

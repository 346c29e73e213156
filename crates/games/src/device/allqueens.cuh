// All Queens Chess on a device: see `allqueens.rs`. Constants: ROWS, COLS, LINE.

// Calls `visit` with each way in which one of the queens `own` can go, as the queens after it. Stops when `visit` says
// so.
template <class F> DEV void queens_after(Set own, Set other, F visit) {
    const Set occupied = own | other;
    for (Set queens = own; queens; queens &= queens - 1) {
        const int from = lowest(queens);
        for (int way = 0; way < 9; way++) {
            const int down = way / 3 - 1, right = way % 3 - 1;
            if (down == 0 && right == 0) continue;
            int row = from / COLS + down, column = from % COLS + right;
            while (row >= 0 && row < ROWS && column >= 0 && column < COLS) {
                const Set to = bit(row * COLS + column);
                if (occupied & to) break;
                if (!visit((own & ~bit(from)) | to)) return;
                row += down;
                column += right;
            }
        }
    }
}

// The game was over before the player to move has a line.
DEV bool possible(Position p) { return !has_line<LINE>(p.own); }

DEV u32 outcome(Position p) {
    if (has_line<LINE>(p.other)) return LOST;
    bool stuck = true;
    queens_after(p.own, p.other, [&](Set) { return stuck = false; });
    return stuck ? LOST : GOES_ON;
}

template <class F> DEV void moves(Position p, F visit) {
    queens_after(p.own, p.other, [&](Set own) { return visit(Position{p.other, own}, true); });
}

template <class F> DEV void unmoves(Position p, F visit) {
    queens_after(p.other, p.own, [&](Set before) {
        if (!has_line<LINE>(before)) visit(Position{before, p.own});
        return true;
    });
}

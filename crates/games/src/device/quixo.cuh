// Quixo on a device: see `quixo.rs`. Constants: ROWS, COLS, LINE.

// Take the cube at `from`, shift those up to `to` one cell back, put the cube in at `to`.
struct Slide {
    Set path, from, to;
    int by;
    bool up;  // whether `to` has the higher number
};

constexpr bool on_rim(int row, int column) {
    return row == 0 || row == ROWS - 1 || column == 0 || column == COLS - 1;
}

constexpr int count_slides() {
    int slides = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLS; column++)
            if (on_rim(row, column)) slides += (row > 0) + (row < ROWS - 1) + (column > 0) + (column < COLS - 1);
    return slides;
}

constexpr int SLIDES = count_slides();

struct Slides {
    Slide list[SLIDES];
};

constexpr Slide slide_along(int from, int to, int step) {
    Slide slide{0, bit(from), bit(to), step, to > from};
    const int low = from < to ? from : to, high = from < to ? to : from;
    for (int cell = low; cell <= high; cell += step) slide.path |= bit(cell);
    return slide;
}

constexpr Slides all_slides() {
    Slides all{};
    int n = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLS; column++) {
            if (!on_rim(row, column)) continue;
            const int cell = row * COLS + column;
            if (column > 0) all.list[n++] = slide_along(cell, row * COLS, 1);
            if (column < COLS - 1) all.list[n++] = slide_along(cell, row * COLS + COLS - 1, 1);
            if (row > 0) all.list[n++] = slide_along(cell, column, COLS);
            if (row < ROWS - 1) all.list[n++] = slide_along(cell, (ROWS - 1) * COLS + column, COLS);
        }
    return all;
}

TABLE Slides SLIDE = all_slides();

DEV Set shift(const Slide &slide, Set set) {
    const Set moving = set & slide.path & ~slide.from;
    return (set & ~slide.path) | (slide.up ? moving >> slide.by : moving << slide.by);
}

DEV Set unshift(const Slide &slide, Set set) {
    const Set moving = set & slide.path & ~slide.to;
    return (set & ~slide.path) | (slide.up ? moving << slide.by : moving >> slide.by);
}

DEV bool possible(Position) { return true; }

DEV u32 outcome(Position p) { return has_line<LINE>(p.own) ? WON : has_line<LINE>(p.other) ? LOST : GOES_ON; }

template <class F> DEV void moves(Position p, F visit) {
    UNROLL_BY_2 for (int n = 0; n < SLIDES; n++) {
        const Slide &slide = SLIDE.list[n];
        if (p.other & slide.from) continue;
        const Position after{shift(slide, p.other), shift(slide, p.own) | slide.to};
        if (!visit(after, (p.own & slide.from) != 0)) return;
    }
}

template <class F> DEV void unmoves(Position p, F visit) {
    UNROLL_BY_2 for (int n = 0; n < SLIDES; n++) {
        const Slide &slide = SLIDE.list[n];
        if (p.other & slide.to) visit(Position{unshift(slide, p.other) | slide.from, unshift(slide, p.own)});
    }
}

// Sets of cells of a grid of ROWS by COLS, a bit a cell, row by row; lines, and the symmetries of the grid.

constexpr int CELLS = ROWS * COLS;
#if ROWS * COLS > 32
typedef u64 Set;
DEV int count(Set set) { return count64(set); }
DEV int lowest(Set set) { return lowest64(set); }
#else
typedef u32 Set;
DEV int count(Set set) { return count32(set); }
DEV int lowest(Set set) { return lowest32(set); }
#endif

constexpr Set bit(int cell) { return (Set)1 << cell; }
constexpr Set FULL = ((bit(CELLS - 1) - 1) << 1) | 1;

// The cells of a row from the left, moved to the bottom.
constexpr Set ROW = ((bit(COLS - 1) - 1) << 1) | 1;

constexpr Set cells_of_column(int column) {
    Set set = 0;
    for (int row = 0; row < ROWS; row++) set |= bit(row * COLS + column);
    return set;
}

// The cells in which a line of `length` steps of (down, right) can begin.
constexpr Set beginnings(int down, int right, int length) {
    Set set = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLS; column++) {
            const int last_row = row + down * (length - 1), last_column = column + right * (length - 1);
            if (last_row < ROWS && last_column >= 0 && last_column < COLS) set |= bit(row * COLS + column);
        }
    return set;
}

// Whether a set has `LENGTH` cells in a row in one direction: a bit of `run` stands for a run of cells.
template <int DOWN, int RIGHT, int LENGTH> DEV bool line_along(Set set) {
    constexpr Set begin = beginnings(DOWN, RIGHT, LENGTH);
    if constexpr (begin == 0) return false;
    else {
        constexpr int step = DOWN * COLS + RIGHT;
        Set run = set & begin;
        UNROLL for (int n = 1; n < LENGTH; n++) run &= set >> (n * step);
        return run != 0;
    }
}

// Whether a set has `LENGTH` cells in a row, across, down or diagonally.
template <int LENGTH> DEV bool has_line(Set set) {
    return line_along<0, 1, LENGTH>(set) || line_along<1, 0, LENGTH>(set) || line_along<1, 1, LENGTH>(set) ||
           line_along<1, -1, LENGTH>(set);
}

// Exchanges left and right.
DEV Set flip_columns(Set set) {
    Set image = 0;
    UNROLL for (int column = 0; column < COLS; column++) {
        const int to = COLS - 1 - column;
        const Set moved = set & cells_of_column(column);
        image |= to >= column ? moved << (to - column) : moved >> (column - to);
    }
    return image;
}

// Exchanges top and bottom.
DEV Set flip_rows(Set set) {
    Set image = 0;
    UNROLL for (int row = 0; row < ROWS; row++) image |= ((set >> (row * COLS)) & ROW) << ((ROWS - 1 - row) * COLS);
    return image;
}

#if ROWS == COLS
constexpr int SYMMETRIES = 8;

// The cells whose column is their row plus `shift`.
constexpr Set diagonal(int shift) {
    Set set = 0;
    for (int row = 0; row < ROWS; row++)
        if (row + shift >= 0 && row + shift < COLS) set |= bit(row * COLS + row + shift);
    return set;
}

// Exchanges rows and columns.
DEV Set transpose(Set set) {
    Set image = set & diagonal(0);
    UNROLL for (int shift = 1; shift < ROWS; shift++) {
        image |= (set & diagonal(shift)) << ((COLS - 1) * shift);
        image |= (set & diagonal(-shift)) >> ((COLS - 1) * shift);
    }
    return image;
}
#else
constexpr int SYMMETRIES = 4;
#endif

// The image of a set. Bit 0 of a symmetry flips left and right, bit 1 top and bottom, bit 2 rows and columns, in this
// order.
DEV Set image(Set set, u32 symmetry) {
    if (symmetry & 1) set = flip_columns(set);
    if (symmetry & 2) set = flip_rows(set);
#if ROWS == COLS
    if (symmetry & 4) set = transpose(set);
#endif
    return set;
}

// Numbers of positions that are two sets of cells, up to the symmetries of a grid: see `FoldedPair` and `Halves`, whose
// tables these are.

// A position, seen by the player to move.
struct Position {
    Set own, other;
};

#if ROWS * COLS > 32
constexpr int MASKS = 6;
#else
constexpr int MASKS = 5;
#endif

// A canonical set, the symmetries that leave it as it is, a bit each, and what moves the cells that the set leaves free
// together: after step `n` of `without` the cells in `moves[n]` stand 2^n lower.
struct Chosen {
    Set set, fixed, moves[6];
};

// The positions in which the player to move has one number of men and the other player another.
struct Half {
    const u32 *orbit;      // by the number of the own set: its orbit, and in the low bits what makes it canonical
    const Chosen *chosen;  // by orbit
    const Set *sets;       // by number: the other set, within the cells that the own set leaves
    u64 ways;              // numbers an orbit
    u64 base;              // the number where the half begins
    u64 men;               // of the player to move, and above 32 bits those of the other
    u64 bits;              // that name a symmetry in `orbit`
};

// A tier of one half, or of two where it holds its positions either way round.
struct Numbering {
    Half half[2];
    u64 halves;
    const Set *colex;  // what each part of a set adds to its number
};

constexpr int PART = 13;

// The number of a set among the sets of its size.
DEV Set rank_of(const Set *colex, Set set) {
    constexpr Set low = (1 << PART) - 1;
    Set rank = load(colex + (set & low));
    int below = count(set & low);
    u32 row = 1;
    UNROLL for (int part = 1; part * PART < CELLS; part++) {
        const Set here = (set >> (part * PART)) & low;
        rank += load(colex + (((u64)(row + below) << PART) + here));
        below += count(here);
        row += PART * part + 1;
    }
    return rank;
}

// The cells of a set, which has none of the chosen one, moved together over the cells of the chosen one.
DEV Set without(Set set, const Chosen &chosen) {
    UNROLL for (int n = 0; n < MASKS; n++) {
        const Set moved = set & chosen.moves[n];
        set = (set ^ moved) | (moved >> (1 << n));
    }
    return set;
}

// The inverse of `without`.
DEV Set between(Set packed, const Chosen &chosen) {
    UNROLL for (int n = MASKS - 1; n >= 0; n--)
        packed = (packed & ~chosen.moves[n]) | ((packed << (1 << n)) & chosen.moves[n]);
    return packed & FULL & ~chosen.set;
}

// Whether a board with the right numbers of men is a position at all: the game says so.
DEV bool possible(Position p);

// The least image of a set under some symmetries.
DEV Set least(Set set, Set symmetries) {
    Set found = set;
    for (u32 s = 1; s < SYMMETRIES; s++)
        if (symmetries >> s & 1) {
            const Set other = image(set, s);
            if (other < found) found = other;
        }
    return found;
}

DEV const Half &half_of(const Numbering &n, u64 number) { return n.half[n.halves > 1 && number >= n.half[1].base]; }

// The sets of a number, and the symmetries that leave the own set as it is.
DEV Set arrange(const Numbering &n, u64 number, Position &p) {
    const Half &half = half_of(n, number);
    const u64 at = number - half.base, orbit = at / half.ways;
    const Chosen chosen = half.chosen[orbit];
    p.own = chosen.set;
    p.other = between(half.sets[at - orbit * half.ways], chosen);
    return chosen.fixed;
}

DEV bool position(const Numbering &n, u64 number, Position &p) {
    const Set fixed = arrange(n, number, p);
    return (fixed == 1 || least(p.other, fixed) == p.other) && possible(p);
}

DEV u64 men_of(Position p) { return (u64)count(p.own) | (u64)count(p.other) << 32; }

DEV bool within(const Numbering &n, Position p) {
    const u64 men = men_of(p);
    return men == n.half[0].men || men == n.half[1].men;
}

DEV u64 number(const Numbering &n, Position p) {
    const Half &half = n.half[n.halves > 1 && (u32)count(p.own) != (u32)n.half[0].men];
    const u32 entry = load(half.orbit + rank_of(n.colex, p.own));
    const u64 orbit = entry >> half.bits;
    const Chosen chosen = half.chosen[orbit];
    Set other = image(p.other, entry & (SYMMETRIES - 1));
    if (chosen.fixed != 1) other = least(other, chosen.fixed);
    return half.base + orbit * half.ways + rank_of(n.colex, without(other, chosen));
}

DEV u32 copies(const Numbering &n, u64 number, Position p) {
    const Half &half = half_of(n, number);
    const Set fixed = half.chosen[(number - half.base) / half.ways].fixed;
    u32 same = 1;
    for (u32 s = 1; s < SYMMETRIES; s++) same += (fixed >> s & 1) && image(p.other, s) == p.other;
    return SYMMETRIES / same;
}

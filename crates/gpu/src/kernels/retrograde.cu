// Retrograde analysis of one tier. `Args` says where everything is; `driver.rs` says in which order kernels run.
//
// A cell is 16 bits for each number of the tier. It holds the code of the position (see `Code`) once that is known, and
// before that what is known of it:
//
//   OPEN      nothing better than a draw is known, and all moves may yet lose
//   OPEN_BY   OPEN, and the move of this place (added to the code) did not lose when moves were last looked at
//   FLAGGED   OPEN, and a position it can move to was just found won; FLAGGED_BY likewise with a place
//   NOT_LOST  OPEN, but a move to a draw below saves it
//   a code of distance d, before distance d was worked on: a value by the moves that leave the tier. A win or a tie
//   may still be replaced by a shorter win; a loss stands.
//
// At the end all of these are draws.

constexpr u32 TIE = 20000, OPEN = 40000, WIN = 60000, NOT_LOST = 60001, HOLE = 65535;
// OPEN_BY + n names the move n, and FLAGGED_BY + n likewise, for moves before `MOST_NAMED`.
constexpr u32 MOST_NAMED = 1000, OPEN_BY = 61000, FLAGGED = 62999, FLAGGED_BY = 63000;

// A tier: its numbering, and the codes of a solved one.
struct Tier {
    union {
        Numbering numbering;
        u64 slots[24];
    };
    u64 size;
    const u8 *codes;
    u64 width;  // of a code, in bytes
};
static_assert(sizeof(Numbering) <= 24 * 8, "more slots than a tier has");

enum Counter { POSITIONS, FAULTS, FARTHEST, FARTHEST_TIE, WIDE, FIRST_LIST, SECOND_LIST, FLAGS, DOUBTS, MARKED, COUNTERS };

struct Args {
    Tier here;
    Tier below[4];
    u64 tiers_below;
    const Tier *all_below;  // the tiers below, of a game that has them by number
    const u16 *widen;  // codes by their one-byte form
    const u8 *narrow;  // the one-byte form of codes; 255 where there is none
    u16 *cells;
    u64 first, end;    // the numbers to look at
    u64 distance;
    u64 tie_phase;     // whether ties are worked on, after wins and losses
    u64 *counters;
    u32 *lists[2];     // numbers from `first` on that have a value of `distance`
    u64 *flags;        // numbers of flagged positions
    u64 most_flags;
    u8 *out;           // one-byte codes
    u64 *counts;       // by how many positions share a number, as a power of two, and by code
    u64 *examples;     // by code: the least number that has it
    u64 sides;         // whether marks tell who is to move
    u32 *marks[2];     // which numbers of the tier are reached, a bit each, by who is to move
    u32 *followed[2];  // those whose moves were followed
    u32 *marks_below[4][2];
    const u32 *counted;  // the plane of marks to count, or null where all numbers count
};

DEV bool is_win(u32 code) { return code > OPEN && code <= WIN; }
DEV bool is_tie(u32 code) { return code >= TIE && code < OPEN; }
DEV bool is_open(u32 code) { return code == OPEN || (code > WIN && code != HOLE); }
DEV bool is_flagged(u32 code) { return code >= FLAGGED && code < FLAGGED_BY + MOST_NAMED; }
// Whether a position may be flagged: it is open, not flagged, and all moves may yet lose.
DEV bool may_lose(u32 code) { return code == OPEN || (code >= OPEN_BY && code < OPEN_BY + MOST_NAMED); }
DEV u32 flagged(u32 code) { return code == OPEN ? FLAGGED : code + (FLAGGED_BY - OPEN_BY); }

// The greatest distances that a thread has met. It tells them once, at its end: a counter is one place in memory, which
// all threads would otherwise wait for.
struct Met {
    u64 farthest, farthest_tie;
};

DEV void met(u64 &most, u64 distance) {
    if (distance > most) most = distance;
}

DEV void tell(const Args &args, const Met &all) {
    if (all.farthest) raise(args.counters + FARTHEST, all.farthest);
    if (all.farthest_tie) raise(args.counters + FARTHEST_TIE, all.farthest_tie);
}

// The code of a position whose best move leads to this one.
DEV u32 before(u32 code) {
    if (code < TIE) return WIN - (code + 1);
    if (code < OPEN) return code + 1;
    if (code == OPEN) return NOT_LOST;
    return WIN - code + 1;
}

DEV u32 code_of(u32 outcome) { return outcome == LOST ? 0 : outcome == TIED ? TIE : WIN; }

// The code of a position of a solved tier.
DEV u32 code_in(const Args &args, const Tier &tier, Position p) {
    const u64 at = number(tier.numbering, p);
    return tier.width == 1 ? load(args.widen + load(tier.codes + at)) : load((const u16 *)tier.codes + at);
}

DEV u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

#if FORESEES

// The code of a position of a solved tier below.
DEV u32 code_below(const Args &args, Position p) {
    for (u32 t = 0; t < args.tiers_below; t++)
        if (within(args.below[t].numbering, p)) return code_in(args, args.below[t], p);
    return HOLE;
}

// What the rules and the tiers below tell of a position.
DEV u32 look(const Args &args, Position p, Met &all) {
    const u32 over = outcome(p);
    if (over != GOES_ON) return code_of(over);
    bool wins = false;
    moves(p, [&](Position after, bool) {
        wins = wins || outcome(after) == LOST;
        return !wins;
    });
    if (wins) {
        met(all.farthest, 1);
        return WIN - 1;
    }
    u32 best = HOLE;
    bool inside = false, unknown = false;
    moves(p, [&](Position after, bool stays) {
        const u32 end = outcome(after);
        if (end != GOES_ON) best = smaller(best, code_of(end));
        else if (stays) inside = true;
        else {
            const u32 code = code_below(args, after);
            unknown = unknown || code == HOLE;
            best = smaller(best, code);
        }
        return true;
    });
    if (unknown || (best == HOLE && !inside)) {
        add(args.counters + FAULTS, 1);
        return OPEN;
    }
    if (best < TIE) met(all.farthest, best + 1);
    if (is_tie(best)) met(all.farthest_tie, best - TIE + 1);
    if (best <= OPEN) return before(best);
    if (inside) return OPEN;
    met(all.farthest, WIN - best + 1);
    return before(best);
}

#else

// Folds the codes of the moves that leave the tier into one, and says whether there are such moves.
DEV bool leaves(const Args &args, Position p, u32 &best) {
    bool any = false;
    leaving(p, [&](Position after) {
        const u32 code = code_in(args, args.all_below[after.child], after);
        if (code != HOLE) {
            any = true;
            best = smaller(best, code);
        }
        return true;
    });
    return any;
}

// What the rules and the tiers below tell of a position.
DEV u32 look(const Args &args, Position p, Met &all) {
    u32 best = HOLE;
    const bool out = leaves(args, p, best);
    if (out && best < TIE) {
        met(all.farthest, best + 1);
        return before(best);
    }
    if (out && is_tie(best)) met(all.farthest_tie, best - TIE + 1);
    if (out && best <= OPEN) return before(best);
    if (can_stay(p)) return OPEN;
    if (!out) return 0;
    met(all.farthest, before(best));
    return before(best);
}

#endif

KERNEL(forward) {
    u64 positions = 0;
    Met all{};
    for (u64 i = args.first + thread(); i < args.end; i += threads()) {
        Position p;
        const bool is = position(args.here.numbering, i, p);
        positions += is;
        args.cells[i] = (u16)(is ? look(args, p, all) : HOLE);
    }
    if (positions) add(args.counters + POSITIONS, positions);
    tell(args, all);
}

// Lists the numbers with a value of this distance: losses in the first list and wins in the second, or ties in the
// first. Cells are looked at eight at a time.
KERNEL(scan) {
    const u32 one = args.tie_phase ? TIE + (u32)args.distance : (u32)args.distance;
    const u32 two = args.tie_phase ? one : WIN - (u32)args.distance;
    const u32 pair_one = one | one << 16, pair_two = two | two << 16;
    for (u64 i = args.first + 8 * thread(); i < args.end; i += 8 * threads()) {
        const Words words = words_at(args.cells + i);
        bool any = i + 8 > args.end;
        UNROLL for (int w = 0; w < 4; w++) {
            // A half of `x` is zero where a code is the wanted one; whether one is, is what the two last bits tell.
            const u32 x = words.word[w] ^ pair_one, y = words.word[w] ^ pair_two;
            any = any || (((x - 0x00010001u) & ~x) | ((y - 0x00010001u) & ~y)) & 0x80008000u;
        }
        if (!any) continue;
        for (u64 at = i; at < i + 8 && at < args.end; at++) {
            const u32 code = args.cells[at];
            if (code == one) args.lists[0][next_place(args.counters + FIRST_LIST)] = (u32)(at - args.first);
            else if (code == two) args.lists[1][next_place(args.counters + SECOND_LIST)] = (u32)(at - args.first);
        }
    }
}

// Calls `each` with the cell, and its number, of every position of the tier that has a move to one of a list.
template <class F> DEV void sources(const Args &args, const u32 *list, u64 length, F each) {
    for (u64 n = thread(); n < length; n += threads()) {
        Position p;
        arrange(args.here.numbering, args.first + list[n], p);
#if FORESEES
        unmoves(p, [&](Position q) {
            const u64 at = number(args.here.numbering, q);
            each(args.cells + at, at);
        });
#else
        neighbours(p, true, [&](u64 at) {
            each(args.cells + at, at);
            return true;
        });
#endif
    }
}

// Positions before lost ones are won.
KERNEL(push_wins) {
    const u64 length = args.counters[FIRST_LIST];
    const u32 won = WIN - (u32)(args.distance + 1);
    Met all{};
    sources(args, args.lists[0], length, [&](u16 *cell, u64) {
        const u32 code = *cell;
        if (is_open(code) || is_tie(code) || (is_win(code) && code < won)) {
            *cell = (u16)won;
            all.farthest = args.distance + 1;
        }
    });
    tell(args, all);
}

// Open positions before won ones are flagged: they may be lost now.
KERNEL(push_flags) {
    const u64 length = args.counters[SECOND_LIST];
    sources(args, args.lists[1], length, [&](u16 *cell, u64 at) {
        const u32 code = *cell;
        if (may_lose(code) && replace(cell, (u16)code, (u16)flagged(code))) {
            const u64 place = next_place(args.counters + FLAGS);
            if (place < args.most_flags) args.flags[place] = at;
        }
    });
}

// Positions before tied ones are tied, unless they are decided.
KERNEL(push_ties) {
    const u64 length = args.counters[FIRST_LIST];
    const u32 tied = TIE + (u32)(args.distance + 1);
    Met all{};
    sources(args, args.lists[0], length, [&](u16 *cell, u64) {
        const u32 code = *cell;
        if (is_open(code) || (is_tie(code) && code > tied)) {
            *cell = (u16)tied;
            all.farthest_tie = args.distance + 1;
        }
    });
    tell(args, all);
}

// Whether a position inside the tier is won by now, so that a move to it loses.
DEV bool is_won_by_now(const Args &args, u32 code) { return code >= WIN - (u32)args.distance && code <= WIN; }

#if FORESEES

// The number of the position that the move of a place leads to; the move stays inside the tier. Threads number their
// positions together, after each has found its own.
DEV u64 after_move(const Args &args, Position p, u32 place) {
    u32 n = 0;
    Position found = p;
    moves(p, [&](Position after, bool) {
        if (n++ < place) return true;
        found = after;
        return false;
    });
    return number(args.here.numbering, found);
}

// Whether all moves of an open position lose by now, and then the best of their codes; if not, the place of a move that
// does not.
DEV bool all_lose(const Args &args, Position p, u32 &best, u32 &saving) {
    u32 n = 0;
    bool lost = true;
    moves(p, [&](Position after, bool stays) {
        const u32 place = n++;
        if (!stays || outcome(after) != GOES_ON) return true;
        const u32 code = args.cells[number(args.here.numbering, after)];
        lost = is_won_by_now(args, code);
        if (!lost) saving = place;
        best = smaller(best, code);
        return lost;
    });
    if (lost)
        moves(p, [&](Position after, bool stays) {
            const u32 end = outcome(after);
            if (end != GOES_ON) best = smaller(best, code_of(end));
            else if (!stays) best = smaller(best, code_below(args, after));
            return true;
        });
    return lost;
}

#else

// The number of the position that the move of a place leads to; the move stays inside the tier. Threads look at cells
// together, after each has found its own.
DEV u64 after_move(const Args &, Position p, u32 place) {
    u32 n = 0;
    u64 found = 0;
    neighbours(p, false, [&](u64 after) {
        if (n++ < place) return true;
        found = after;
        return false;
    });
    return found;
}

// Whether all moves of an open position lose by now, and then the best of their codes; if not, the place of a move that
// does not.
DEV bool all_lose(const Args &args, Position p, u32 &best, u32 &saving) {
    u32 n = 0;
    bool lost = true;
    neighbours(p, false, [&](u64 after) {
        const u32 place = n++;
        const u32 code = args.cells[after];
        if (code == HOLE) return true;
        lost = is_won_by_now(args, code);
        if (!lost) saving = place;
        best = smaller(best, code);
        return lost;
    });
    if (lost) leaves(args, p, best);
    return lost;
}

#endif

// Whether the move that did not lose when moves were last looked at still does not. The position is then open again.
DEV bool is_saved(const Args &args, u64 i) {
    const u32 was = args.cells[i];
    if (was < FLAGGED_BY) return false;
    Position p;
    arrange(args.here.numbering, i, p);
    if (is_won_by_now(args, args.cells[after_move(args, p, was - FLAGGED_BY)])) return false;
    args.cells[i] = (u16)(was - FLAGGED_BY + OPEN_BY);
    return true;
}

// Looks at all moves of an open position: it is lost if all of them lose by now, and open if not.
DEV void settle(const Args &args, u64 i, Met &all) {
    Position p;
    arrange(args.here.numbering, i, p);
    u32 best = HOLE, saving = MOST_NAMED;
    const bool lost = all_lose(args, p, best, saving);
    // A move to a draw or a tie below makes a position NOT_LOST at once, so that all moves below lose here.
    const u32 code = lost ? before(best) : saving < MOST_NAMED ? OPEN_BY + saving : OPEN;
    if (lost) met(all.farthest, code);
    args.cells[i] = (u16)code;
}

// Settles the flagged positions of a small tier.
KERNEL(settle_flagged) {
    const u64 length = args.counters[FLAGS];
    if (length > args.most_flags) return;
    Met all{};
    for (u64 n = thread(); n < length; n += threads()) {
        const u64 i = args.flags[n];
        if (is_flagged(args.cells[i]) && !is_saved(args, i)) settle(args, i, all);
    }
    tell(args, all);
}

// Lists the flagged positions that one move does not save. To settle them takes a look at all moves, which threads do
// together in a kernel of its own.
KERNEL(doubt_flagged) {
    const u64 length = args.counters[FLAGS] < args.end ? args.counters[FLAGS] : args.end;
    for (u64 n = args.first + thread(); n < length; n += threads()) {
        const u64 i = args.flags[n];
        if (is_flagged(args.cells[i]) && !is_saved(args, i))
            args.lists[0][next_place(args.counters + DOUBTS)] = (u32)(n - args.first);
    }
}

KERNEL(settle_doubted_flags) {
    const u64 length = args.counters[DOUBTS];
    Met all{};
    for (u64 n = thread(); n < length; n += threads()) settle(args, args.flags[args.first + args.lists[0][n]], all);
    tell(args, all);
}

// What `doubt_flagged` does, where there are too many flagged positions for their list, or as many as are soon found.
KERNEL(doubt_cells) {
    for (u64 i = args.first + thread(); i < args.end; i += threads())
        if (is_flagged(args.cells[i]) && !is_saved(args, i))
            args.lists[0][next_place(args.counters + DOUBTS)] = (u32)(i - args.first);
}

KERNEL(settle_doubted_cells) {
    const u64 length = args.counters[DOUBTS];
    Met all{};
    for (u64 n = thread(); n < length; n += threads()) settle(args, args.first + args.lists[0][n], all);
    tell(args, all);
}

// Settles every open position, where so many positions were just found won that to push all of them takes longer.
KERNEL(settle_open) {
    Met all{};
    for (u64 i = args.first + thread(); i < args.end; i += threads())
        if (args.cells[i] == OPEN) settle(args, i, all);
    tell(args, all);
}

// Makes draws of what is open, and notes whether a code has no one-byte form.
KERNEL(finish) {
    u64 wide = 0;
    for (u64 i = args.first + thread(); i < args.end; i += threads()) {
        const u32 code = args.cells[i];
        if (is_open(code)) args.cells[i] = (u16)OPEN;
        else if (code != HOLE) wide += load(args.narrow + code) == 255;
    }
    if (wide) add(args.counters + WIDE, wide);
}

// Writes one-byte codes.
KERNEL(pack) {
    for (u64 i = args.first + thread(); i < args.end; i += threads()) args.out[i] = load(args.narrow + args.cells[i]);
}

// Counts positions by code and by how many share a number.
KERNEL(tally) {
    const Tier &tier = args.here;
    for (u64 i = args.first + thread(); i < args.end; i += threads()) {
        const u32 code = tier.width == 1 ? load(args.widen + load(tier.codes + i)) : load((const u16 *)tier.codes + i);
        Position p;
        if (args.counted && !(args.counted[i / 32] >> (i & 31) & 1)) continue;
        if (code == HOLE || !position(tier.numbering, i, p)) continue;
        count_at(args.counts, (u32)lowest32(copies(tier.numbering, i, p)) * 65536 + code);
        lower(args.examples + code, i);
    }
}

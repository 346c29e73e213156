// Retrograde analysis of one tier. `Args` says where everything is; `driver.rs` says in which order kernels run.
//
// A cell is 16 bits for each number of the tier. It holds the code of the position (see `Code`) once that is known, and
// before that what is known of it:
//
//   OPEN      nothing better than a draw is known, and all moves may yet lose
//   FLAGGED   OPEN, and a position it can move to was just found won
//   NOT_LOST  OPEN, but a move to a draw below saves it
//   a code of distance d, before distance d was worked on: a value by the moves that leave the tier. A win or a tie
//   may still be replaced by a shorter win; a loss stands.
//
// At the end OPEN, FLAGGED and NOT_LOST are draws.

constexpr u32 TIE = 20000, OPEN = 40000, WIN = 60000, FLAGGED = 60001, NOT_LOST = 60002, HOLE = 65535;

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

enum Counter { POSITIONS, FAULTS, FARTHEST, FARTHEST_TIE, WIDE, FIRST_LIST, SECOND_LIST, FLAGS, COUNTERS };

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
};

DEV bool is_win(u32 code) { return code > OPEN && code <= WIN; }
DEV bool is_tie(u32 code) { return code >= TIE && code < OPEN; }
DEV bool is_open(u32 code) { return code == OPEN || code == FLAGGED || code == NOT_LOST; }

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
DEV u32 look(const Args &args, Position p) {
    const u32 over = outcome(p);
    if (over != GOES_ON) return code_of(over);
    bool wins = false;
    moves(p, [&](Position after, bool) {
        wins = wins || outcome(after) == LOST;
        return !wins;
    });
    if (wins) {
        raise(args.counters + FARTHEST, 1);
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
    if (best < TIE) raise(args.counters + FARTHEST, best + 1);
    if (is_tie(best)) raise(args.counters + FARTHEST_TIE, best - TIE + 1);
    if (best <= OPEN) return before(best);
    if (inside) return OPEN;
    raise(args.counters + FARTHEST, WIN - best + 1);
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
DEV u32 look(const Args &args, Position p) {
    u32 best = HOLE;
    const bool out = leaves(args, p, best);
    if (out && best < TIE) {
        raise(args.counters + FARTHEST, best + 1);
        return before(best);
    }
    if (out && is_tie(best)) raise(args.counters + FARTHEST_TIE, best - TIE + 1);
    if (out && best <= OPEN) return before(best);
    if (can_stay(p)) return OPEN;
    if (!out) return 0;
    raise(args.counters + FARTHEST, before(best));
    return before(best);
}

#endif

KERNEL(forward) {
    u64 positions = 0;
    for (u64 i = args.first + thread(); i < args.end; i += threads()) {
        Position p;
        const bool is = position(args.here.numbering, i, p);
        positions += is;
        args.cells[i] = (u16)(is ? look(args, p) : HOLE);
    }
    if (positions) add(args.counters + POSITIONS, positions);
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
    sources(args, args.lists[0], length, [&](u16 *cell, u64) {
        const u32 code = *cell;
        if (is_open(code) || is_tie(code) || (is_win(code) && code < won)) {
            *cell = (u16)won;
            raise(args.counters + FARTHEST, args.distance + 1);
        }
    });
}

// Open positions before won ones are flagged: they may be lost now.
KERNEL(push_flags) {
    const u64 length = args.counters[SECOND_LIST];
    sources(args, args.lists[1], length, [&](u16 *cell, u64 at) {
        if (*cell == OPEN && replace(cell, OPEN, FLAGGED)) {
            const u64 place = next_place(args.counters + FLAGS);
            if (place < args.most_flags) args.flags[place] = at;
        }
    });
}

// Positions before tied ones are tied, unless they are decided.
KERNEL(push_ties) {
    const u64 length = args.counters[FIRST_LIST];
    const u32 tied = TIE + (u32)(args.distance + 1);
    sources(args, args.lists[0], length, [&](u16 *cell, u64) {
        const u32 code = *cell;
        if (is_open(code) || (is_tie(code) && code > tied)) {
            *cell = (u16)tied;
            raise(args.counters + FARTHEST_TIE, args.distance + 1);
        }
    });
}

#if FORESEES

// Whether all moves of an open position lose by now, and then the best of their codes.
DEV bool all_lose(const Args &args, Position p, u32 &best) {
    const u32 least = WIN - (u32)args.distance;
    bool lost = true;
    moves(p, [&](Position after, bool stays) {
        if (!stays || outcome(after) != GOES_ON) return true;
        const u32 code = args.cells[number(args.here.numbering, after)];
        lost = code >= least && code <= WIN;
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

// Whether all moves of an open position lose by now, and then the best of their codes.
DEV bool all_lose(const Args &args, Position p, u32 &best) {
    const u32 least = WIN - (u32)args.distance;
    bool lost = true;
    neighbours(p, false, [&](u64 after) {
        const u32 code = args.cells[after];
        if (code == HOLE) return true;
        lost = code >= least && code <= WIN;
        best = smaller(best, code);
        return lost;
    });
    if (lost) leaves(args, p, best);
    return lost;
}

#endif

// Looks at all moves of an open position: it is lost if all of them lose by now, and open if not.
DEV void settle(const Args &args, u64 i) {
    Position p;
    arrange(args.here.numbering, i, p);
    u32 best = HOLE;
    const bool lost = all_lose(args, p, best);
    // A move to a draw or a tie below makes a position NOT_LOST at once, so that all moves below lose here.
    const u32 code = lost ? before(best) : OPEN;
    if (lost) raise(args.counters + FARTHEST, code);
    args.cells[i] = (u16)code;
}

KERNEL(settle_flagged) {
    const u64 length = args.counters[FLAGS];
    if (length > args.most_flags) return;
    for (u64 n = thread(); n < length; n += threads())
        if (args.cells[args.flags[n]] == FLAGGED) settle(args, args.flags[n]);
}

// Settles every flagged position, where the list of flags was too short to have them all.
KERNEL(settle_unlisted) {
    for (u64 i = args.first + thread(); i < args.end; i += threads())
        if (args.cells[i] == FLAGGED) settle(args, i);
}

// Settles every open position, where so many positions were just found won that to push all of them takes longer.
KERNEL(settle_open) {
    for (u64 i = args.first + thread(); i < args.end; i += threads())
        if (args.cells[i] == OPEN) settle(args, i);
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
        if (code == HOLE || !position(tier.numbering, i, p)) continue;
        count_at(args.counts, (u32)lowest32(copies(tier.numbering, i, p)) * 65536 + code);
        lower(args.examples + code, i);
    }
}

// Which positions the start reaches. A plane has a bit for each number, for one player to move.

// Lists the numbers of a part that have a mark nobody followed yet, in the upper bits with whom, and counts these marks as
// followed.
KERNEL(list_marked) {
    u64 found = 0;
    const u64 end = (args.end + 31) / 32;
    for (u64 w = args.first / 32 + thread(); w < end; w += threads()) {
        const u32 one = args.marks[0][w] & ~args.followed[0][w], two = args.marks[1][w] & ~args.followed[1][w];
        u32 either = one | two;
        if (!either) continue;
        args.followed[0][w] |= one;
        args.followed[1][w] |= two;
        found += count32(either);
        while (either) {
            const u32 bit = (u32)lowest32(either);
            either &= either - 1;
            const u32 turns = (one >> bit & 1) | (two >> bit & 1) << 1;
            args.lists[0][next_place(args.counters + FIRST_LIST)] = (u32)(32 * w + bit - args.first) | turns << 30;
        }
    }
    if (found) add(args.counters + MARKED, found);
}

DEV void mark(u32 *const planes[2], u32 turns, u64 at) {
    const u32 bit = 1u << (at & 31);
    for (u32 t = 0; t < 2; t++)
        if ((turns >> t & 1) && !(planes[t][at / 32] & bit)) set_bits(planes[t] + at / 32, bit);
}

// Marks where the moves of the listed positions lead.
KERNEL(follow_marked) {
    const u64 length = args.counters[FIRST_LIST];
    for (u64 n = thread(); n < length; n += threads()) {
        const u32 entry = args.lists[0][n], turns = entry >> 30;
        Position p;
        arrange(args.here.numbering, args.first + (entry & ((1u << 30) - 1)), p);
        if (outcome(p) != GOES_ON) continue;
        const u32 next = args.sides ? turns >> 1 | (turns & 1) << 1 : turns;
        moves(p, [&](Position after, bool stays) {
            if (stays) {
                mark(args.marks, next, number(args.here.numbering, after));
                return true;
            }
            for (u32 t = 0; t < args.tiers_below; t++)
                if (within(args.below[t].numbering, after)) {
                    mark(args.marks_below[t], next, number(args.below[t].numbering, after));
                    break;
                }
            return true;
        });
    }
}

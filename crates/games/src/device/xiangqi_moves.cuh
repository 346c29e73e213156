// Moves of Chinese chess on a device, and what is beside a position: see `xiangqi/scene.rs`.

// Where a man can go, a bit each: free squares, and men he meets, of either side. What the bits mean is for `square_to`.
struct Ways {
    u32 free, met;
};

// All bits up to the highest of a small set.
DEV u32 smeared(u32 set) {
    set |= set >> 1;
    set |= set >> 2;
    set |= set >> 4;
    return set | set >> 8;
}

// The ways along a line of `length` squares of a rook, or of a cannon.
DEV Ways along(u32 taken, u32 at, u32 length, bool jumps) {
    const u32 below = (1u << at) - 1, above = ((1u << length) - 1) & ~(below * 2 + 1);
    const u32 up = taken & above, first_up = up & (~up + 1);
    const u32 down = taken & below, hidden = smeared(down), first_down = hidden ^ (hidden >> 1);
    Ways ways{(above & (first_up - 1)) | (below & ~hidden), first_up | first_down};
    if (jumps) {
        const u32 next_up = up ^ first_up, next_down = smeared(down ^ first_down);
        ways.met = (next_up & (~next_up + 1)) | (next_down ^ (next_down >> 1));
    }
    return ways;
}

DEV Ways slides(const Numbering &n, u64 men, u32 at, bool jumps) {
    const u32 row = at >> 4, file = at & 15;
    u32 in_row = 0, in_file = 0;
    UNROLL for (int man = 0; man < MEN; man++) {
        if (man >= (int)all_men(n)) break;
        const u32 square = byte_of(men, (u32)man);
        if (square >> 4 == row) in_row |= 1u << (square & 15);
        if ((square & 15) == file) in_file |= 1u << (square >> 4);
    }
    const Ways across = along(in_row, file, 9, jumps), up = along(in_file, row, 10, jumps);
    return Ways{across.free | up.free << 9, across.met | up.met << 9};
}

// Steps by number, a signed byte each.
constexpr u64 step_bytes(int a, int b, int c, int d, int e = 0, int f = 0, int g = 0, int h = 0) {
    return (u64)(a & 255) | (u64)(b & 255) << 8 | (u64)(c & 255) << 16 | (u64)(d & 255) << 24 | (u64)(e & 255) << 32 |
           (u64)(f & 255) << 40 | (u64)(g & 255) << 48 | (u64)(h & 255) << 56;
}

constexpr u64 STRAIGHT = step_bytes(16, 1, -16, -1);
constexpr u64 DIAGONAL = step_bytes(17, 15, -15, -17);
constexpr u64 FAR_DIAGONAL = step_bytes(34, 30, -30, -34);
constexpr u64 KNIGHTS = step_bytes(33, 31, 18, -14, -31, -33, 14, -18);
// The squares that bar a knight's step, and those that bar a step that ends here.
constexpr u64 LEGS = step_bytes(16, 16, 1, 1, -16, -16, -1, -1);
constexpr u64 LEGS_BACK = step_bytes(17, 15, 17, -15, -15, -17, 15, -17);
// Steps of pawns to the left and to the right.
constexpr u32 ASIDE = 10;

DEV u32 square_to(u32 kind, u32 at, u32 way) {
    if (kind == ROOK || kind == CANNON) return way < 9 ? (at & 240) | way : (way - 9) << 4 | (at & 15);
    const u64 steps = kind == KNIGHT ? KNIGHTS : kind == BISHOP ? FAR_DIAGONAL : kind == ADVISOR ? DIAGONAL : STRAIGHT;
    return (at + byte_of(steps, way)) & 255;
}

// Where a man can go, or with `back` where he may have come from.
DEV Ways ways(const Numbering &n, u64 men, u32 man, u32 side, bool back) {
    const u32 kind = kind_of(n, man), at = byte_of(men, man);
    if (kind == ROOK || kind == CANNON) return slides(n, men, at, kind == CANNON);
    const u64 barred = kind == BISHOP ? DIAGONAL : back ? LEGS_BACK : LEGS;
    const bool bars = kind == BISHOP || kind == KNIGHT;
    Ways found{0, 0};
    for (u32 rest = load(&n.board->steps[kind][side][at]); rest; rest &= rest - 1) {
        const u32 way = (u32)lowest32(rest);
        if (bars && man_on(men, (at + byte_of(barred, way)) & 255) < 8) continue;
        if (man_on(men, square_to(kind, at, way)) < 8) found.met |= 1u << way;
        else found.free |= 1u << way;
    }
    return found;
}

// What threatens the king of the side to move: for each man of the other side what bars his way, and how many men there
// are on it too many.
struct Guard {
    u32 king, path[MEN - 1], at[MEN - 1];
    int spare[MEN - 1];
};

DEV Guard guard(const Numbering &n, u64 men, u32 side) {
    Guard guard{};
    guard.king = throne(side, byte_of(men, first_man(n, side)));
    const u32 around = men_around(n, men, guard.king), first = first_man(n, 1 - side), many = men_of(n, 1 - side);
    UNROLL for (int m = 0; m < MEN - 1; m++) {
        guard.spare[m] = 99;
        if (m >= (int)many) continue;
        const u32 man = first + (u32)m, kind = kind_of(n, man);
        guard.at[m] = byte_of(men, man);
        const u32 way = path(n.board, kind, guard.king, guard.at[m]);
        if (way & NEVER) continue;
        guard.path[m] = way;
        guard.spare[m] = count32(way & around) - (kind == CANNON);
    }
    return guard;
}

// Whether a move of a man who is not the king, to a free square, leaves the king safe.
DEV bool is_safe(const Numbering &n, const Guard &guard, u32 from, u32 to) {
    const u32 leaves = load(&n.board->cross[guard.king][from]), comes = load(&n.board->cross[guard.king][to]);
    bool safe = true;
    UNROLL for (int m = 0; m < MEN - 1; m++)
        safe = safe && guard.spare[m] - ((guard.path[m] & leaves) != 0) + ((guard.path[m] & comes) != 0) != 0;
    return safe;
}

// Moves to free squares within the tier.
DEV u32 staying_ways(u32 kind, Ways found) { return kind == PAWN ? found.free & ASIDE : found.free; }

// Whether the side to move has a move that stays in the tier.
DEV bool can_stay(Position p) {
    const Numbering &n = *p.tier;
    const Guard threats = guard(n, p.men, p.side);
    const u32 king = first_man(n, p.side);
    // The king last, for his moves take longer to look at.
    for (u32 man = king + men_of(n, p.side); man-- > king;) {
        const u32 kind = kind_of(n, man), at = byte_of(p.men, man);
        for (u32 rest = staying_ways(kind, ways(n, p.men, man, p.side, false)); rest; rest &= rest - 1) {
            const u32 to = square_to(kind, at, (u32)lowest32(rest));
            if (man == king ? !attacked(n, moved(p.men, man, to), p.side, 255) : is_safe(n, threats, at, to)) return true;
        }
    }
    return false;
}

// The position of a tier below. A lead has the place of the tier in its low byte, in the next one 1 where the camps
// change places, and above 32 bits by man of that tier who he is here, four bits each.
DEV Position lead(const Numbering &n, u64 men, u32 side, u32 pawn, u32 taken) {
    const u64 how = load(n.leads + 8 * pawn + taken);
    u64 after = 0;
    UNROLL for (int man = 0; man < MEN; man++) after |= (u64)byte_of(men, (u32)(how >> (32 + 4 * man)) & 15) << (8 * man);
    const bool swap = (how >> 8 & 255) != 0;
    if (swap) after = turned(after, ~(u64)0 >> 8);
    return Position{after, swap ? side : 1 - side, (u32)how & 255, nullptr};
}

// Visits the positions after moves that leave the tier, as long as `visit` says so. The king of the side that moved may
// stand in check there: such a position is a hole.
template <class F> DEV void leaving(Position p, F visit) {
    const Numbering &n = *p.tier;
    const u32 king = first_man(n, p.side), end = king + men_of(n, p.side);
    for (u32 man = king; man < end; man++) {
        const u32 kind = kind_of(n, man), at = byte_of(p.men, man);
        const Ways found = ways(n, p.men, man, p.side, false);
        for (u32 rest = found.met | (kind == PAWN ? found.free & ~ASIDE : 0); rest; rest &= rest - 1) {
            const u32 way = (u32)lowest32(rest), to = square_to(kind, at, way), taken = man_on(p.men, to);
            if (taken >= king && taken < end) continue;
            const u32 pawn = kind == PAWN && !(ASIDE >> way & 1) ? man : 7;
            if (!visit(lead(n, moved(p.men, man, to), p.side, pawn, taken < 8 ? taken : 7))) return;
        }
    }
}

// Visits the numbers of positions of the tier that a man's move joins with this one, as long as `visit` says so: those
// after moves, or with `back` those before. Some are holes.
//
// The man changes one digit. So the sums of the other digits are made once, as the men stand and mirrored.
template <class F> DEV void neighbours(Position p, bool back, F visit) {
    const Numbering &n = *p.tier;
    const u32 side = back ? 1 - p.side : p.side, king = first_man(n, side), many = men_of(n, side);
    const u64 all = bytes_below(all_men(n));
    // The other side is to move there. Alike camps then change places.
    const bool exchange = alike(n);
    const u64 half = exchange || p.side ? 0 : n.half;
    const u64 own = own_boards(n, exchange ? exchanged(n, p.men) : p.men), image = mirrored(own, all);
    u64 sum = half, image_sum = half;
    for (u32 d = 0; d < digits(n); d++) {
        const Digit &digit = n.digit[d];
        if (is_kings(digit)) continue;
        sum += digit.stride * digit_of(n, digit, own);
        image_sum += digit.stride * digit_of(n, digit, image);
    }
    const u32 fold = fold_of(n, own);
    u64 kings_stride = 0;
    for (u32 d = 0; d < digits(n); d++)
        if (is_kings(n.digit[d])) kings_stride = n.digit[d].stride;
    const u32 top = exchange ? 1 - side : side, first = first_man(n, top);
    for (u32 m = 0; m < many; m++) {
        const u32 man = king + m, kind = kind_of(n, man), at = byte_of(p.men, man), place = first + m;
        const Digit &digit = n.digit[byte_of(n.digit_of_man, place)];
        const bool is_king = m == 0;
        u64 rest_sum = sum, rest_image = image_sum;
        if (!is_king) {
            rest_sum -= digit.stride * digit_of(n, digit, own);
            rest_image -= digit.stride * digit_of(n, digit, image);
        }
        for (u32 rest = staying_ways(kind, ways(n, p.men, man, side, back)); rest; rest &= rest - 1) {
            const u32 to = square_to(kind, at, (u32)lowest32(rest));
            const u64 there = moved(own, place, side ? 0x98 - to : to);
            u64 one = rest_sum, two = rest_image;
            u32 kings = fold;
            if (is_king) kings = fold_of(n, there);
            else {
                one += digit.stride * digit_of(n, digit, there);
                two += digit.stride * digit_of(n, digit, mirrored(there, all));
            }
            const u32 stands = kings >> 6;
            const bool take_image = stands == BOTH ? two < one : stands != KEPT;
            if (!visit((kings & 63) * kings_stride + (take_image ? two : one))) return;
        }
    }
}

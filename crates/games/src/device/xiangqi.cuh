// Chinese chess on a device: see `xiangqi/`. Constants: MEN, the most men on the board, and the lengths of tables.
//
// A square is a byte: its row in the upper half, its file in the lower one, both from 0. The men of a tier have a fixed
// order: the king of the first camp, its other men by kind and by row of pawns, then the second camp in the same way.

// What is the same for all tiers: `xiangqi/device.rs` fills it in.
struct Board {
    u64 squares[DIGITS];    // by digit: the squares of men on their own side's board, a byte each
    u32 cross[18][160];     // by king and square: the square's bit among those that matter to the king
    u32 watch[3][18][160];  // sliders, knights, pawns, by king and square: what bars the way; NEVER where none leads there
    u8 steps[7][2][160];    // by kind, side and square: the ways to squares that a man may stand on
    u8 place[5][160];       // by class and square: the place of the square among those of the class
    u8 colex[512];          // by set of places: its number among the sets of its size
    u8 folds[81];           // by kings: the number of their pair, and whether its mirror image stands for it
};

constexpr u32 NEVER = 1u << 31;
enum Kind : u32 { KING, ADVISOR, BISHOP, KNIGHT, CANNON, ROOK, PAWN };
constexpr u32 KEPT = 0, BOTH = 2;

// Like men with one digit of the number, or the kings.
struct Digit {
    u64 stride, inverse;  // the inverse is 2^64 / stride, rounded down
    u64 what;             // bytes: the side, the first man, how many, the class of squares, and 1 for kings; then where
                          // the squares of the digit begin
};

constexpr int MOST_DIGITS = 6;
constexpr int DIGITS_HERE = MEN - 1;  // the kings have one, and each other man at most one
static_assert(DIGITS_HERE <= MOST_DIGITS, "more digits than a numbering has");

struct Numbering {
    Digit digit[MOST_DIGITS];  // from the highest
    u64 shape;                 // bytes: the men of the first camp, all men, digits, whether both camps are alike
    u64 kinds;                 // by man, a byte each
    u64 half;                  // numbers with one side to move
    const Board *board;
    const u64 *leads;          // by pawn that steps forward and man that is taken, 7 for none: see `lead`
    u64 digit_of_man;          // by man, a byte each
};

// A position: where the men stand, and who moves. `tier` is the numbering that says which men they are.
struct Position {
    u64 men;  // squares by man; 255 past the last one
    u32 side;
    u32 child;  // which tier below
    const Numbering *tier;
};

DEV u32 byte_of(u64 word, u32 at) { return (u32)(word >> (8 * at)) & 255; }
DEV u32 first_camp(const Numbering &n) { return byte_of(n.shape, 0); }
DEV u32 all_men(const Numbering &n) { return byte_of(n.shape, 1); }
DEV u32 digits(const Numbering &n) { return byte_of(n.shape, 2); }
DEV bool alike(const Numbering &n) { return byte_of(n.shape, 3) != 0; }
DEV u32 kind_of(const Numbering &n, u32 man) { return byte_of(n.kinds, man); }
DEV u32 first_man(const Numbering &n, u32 side) { return side ? first_camp(n) : 0; }
DEV u32 men_of(const Numbering &n, u32 side) { return side ? all_men(n) - first_camp(n) : first_camp(n); }

constexpr u64 EACH = 0x0101010101010101;

// The bytes of the first men, all ones.
DEV u64 bytes_below(u32 men) { return ((u64)1 << (8 * men)) - 1; }

// Squares as the other side sees them.
DEV u64 turned(u64 squares, u64 bytes) { return ((0x98 * EACH) & bytes) - (squares & bytes); }

// Squares on the other wing.
DEV u64 mirrored(u64 squares, u64 bytes) {
    return (squares & (0xf0 * EACH) & bytes) | (((8 * EACH) & bytes) - (squares & (15 * EACH) & bytes));
}

// The highest bits of the bytes that are 0: right for the lowest such byte, and for all where there is none.
DEV u64 zero_bytes(u64 word) { return (word - EACH) & ~word & (128 * EACH); }

// The man on a square, or 8.
DEV u32 man_on(u64 men, u32 square) {
    const u64 found = zero_bytes(men ^ (square * EACH));
    return found ? (u32)lowest64(found) / 8 : 8;
}

DEV u64 moved(u64 men, u32 man, u32 to) { return (men & ~((u64)255 << (8 * man))) | ((u64)to << (8 * man)); }

DEV u64 high_half(u64 a, u64 b) {
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 u128;
    return (u64)((u128)a * b >> 64);
#endif
}

DEV u64 quotient(u64 number, const Digit &digit) {
    const u64 least = high_half(number, digit.inverse);
    return least + (number - least * digit.stride >= digit.stride);
}

// The place of a man's own square within his class.
DEV u32 place_of(const Board *board, u32 kind_class, u32 square) {
    return kind_class == 0 ? square - 7 * (square >> 4) : load(&board->place[kind_class][square]);
}

// The digit of men on squares of their own side's board.
DEV u32 digit_of(const Numbering &n, const Digit &digit, u64 own) {
    const u32 first = byte_of(digit.what, 1), many = byte_of(digit.what, 2), kind_class = byte_of(digit.what, 3);
    const u32 one = place_of(n.board, kind_class, byte_of(own, first));
    if (many == 1) return one;
    if (kind_class == 0) {
        const u32 two = place_of(n.board, 0, byte_of(own, first + 1));
        const u32 high = one > two ? one : two;
        return high * (high - 1) / 2 + (one + two - high);
    }
    u32 places = 1u << one;
    for (u32 man = first + 1; man < first + many; man++) places |= 1u << place_of(n.board, kind_class, byte_of(own, man));
    return load(&n.board->colex[places]);
}

DEV bool is_kings(const Digit &digit) { return byte_of(digit.what, 4) != 0; }

// Compares the number of men with that of their mirror image, where the kings are their own image: 0 where they are
// equal, 1 where the image has the lower number, 2 where it has the higher one.
DEV u32 compared(const Numbering &n, u64 own) {
    const u64 image = mirrored(own, bytes_below(all_men(n)));
    for (u32 d = 0; d < digits(n); d++) {
        if (is_kings(n.digit[d])) continue;
        const u32 here = digit_of(n, n.digit[d], own), there = digit_of(n, n.digit[d], image);
        if (here != there) return there < here ? 1 : 2;
    }
    return 0;
}

DEV u32 palace(u32 square) { return (square >> 4) * 3 + (square & 15) - 3; }

// The squares of all men, each on his own side's board.
DEV u64 own_boards(const Numbering &n, u64 men) {
    const u64 first = bytes_below(first_camp(n)), second = bytes_below(all_men(n)) & ~first;
    return (men & first) | turned(men, second);
}

DEV u32 fold_of(const Numbering &n, u64 own) {
    return load(&n.board->folds[palace(byte_of(own, 0)) * 9 + palace(byte_of(own, first_camp(n)))]);
}

// Alike camps change places, so that the first one moves.
DEV u64 exchanged(const Numbering &n, u64 men) {
    const u32 shift = 8 * first_camp(n);
    const u64 bytes = bytes_below(all_men(n));
    return turned(((men & bytes) >> shift) | (men << shift), bytes);
}

DEV u64 number(const Numbering &n, Position p) {
    const bool exchange = p.side && alike(n);
    u64 own = own_boards(n, exchange ? exchanged(n, p.men) : p.men);
    const u32 fold = fold_of(n, own);
    u32 image = fold >> 6;
    if (image == BOTH) image = compared(n, own) == 1;
    if (image != KEPT) own = mirrored(own, bytes_below(all_men(n)));
    u64 sum = p.side && !exchange ? n.half : 0;
    UNROLL for (int d = 0; d < DIGITS_HERE; d++) {
        if (d >= (int)digits(n)) break;
        const Digit &digit = n.digit[d];
        sum += digit.stride * (is_kings(digit) ? fold & 63 : digit_of(n, digit, own));
    }
    return sum;
}

// The men of a number, whether they are a position or not.
DEV void arrange(const Numbering &n, u64 number, Position &p) {
    p.side = number >= n.half;
    p.child = 0;
    p.tier = &n;
    u64 rest = p.side ? number - n.half : number, men = 0;
    UNROLL for (int d = 0; d < DIGITS_HERE; d++) {
        if (d >= (int)digits(n)) break;
        const Digit &digit = n.digit[d];
        const u64 at = quotient(rest, digit);
        rest -= at * digit.stride;
        const u32 side = byte_of(digit.what, 0), first = byte_of(digit.what, 1), many = byte_of(digit.what, 2);
        const u64 squares = load(&n.board->squares[(digit.what >> 40) + at]);
        if (is_kings(digit)) men |= (squares & 255) | (turned(squares >> 8, 255) << (8 * first_camp(n)));
        else men |= (side ? turned(squares, bytes_below(many)) : squares) << (8 * first);
    }
    p.men = men | ~bytes_below(all_men(n));
}

// Whether two men share a square.
DEV bool clash(const Numbering &n, u64 men) {
    UNROLL for (int by = 1; by < MEN; by++) {
        if (by >= (int)all_men(n)) break;
        const u64 compare = bytes_below(all_men(n) - (u32)by);
        if (zero_bytes((men ^ (men >> (8 * by))) | ~compare)) return true;
    }
    return false;
}

// The place of a king among those of both palaces.
DEV u32 throne(u32 side, u32 square) { return palace(square) - 12 * side; }

// What bars the way of a man to a king; NEVER where none leads there.
DEV u32 path(const Board *board, u32 kind, u32 king, u32 square) {
    if (kind == ADVISOR || kind == BISHOP) return NEVER;
    const u32 table = kind == KNIGHT ? 1 : kind == PAWN ? 2 : 0;
    return load(&board->watch[table][king][square]);
}

// The men that matter to a king, as a set of the bits of `cross`.
DEV u32 men_around(const Numbering &n, u64 men, u32 king) {
    u32 around = 0;
    UNROLL for (int man = 0; man < MEN; man++) {
        if (man >= (int)all_men(n)) break;
        around |= load(&n.board->cross[king][byte_of(men, (u32)man)]);
    }
    return around;
}

// Whether the king of a side can be taken, by any man but the one on `gone`.
DEV bool attacked(const Numbering &n, u64 men, u32 side, u32 gone) {
    const u32 king = throne(side, byte_of(men, first_man(n, side)));
    const u32 around = men_around(n, men, king), first = first_man(n, 1 - side), many = men_of(n, 1 - side);
    bool found = false;
    for (u32 man = first; man < first + many; man++) {
        const u32 at = byte_of(men, man), kind = kind_of(n, man), way = path(n.board, kind, king, at);
        found = found || (!(way & NEVER) && count32(way & around) == (kind == CANNON) && at != gone);
    }
    return found;
}

DEV bool position(const Numbering &n, u64 number, Position &p) {
    arrange(n, number, p);
    if (clash(n, p.men) || attacked(n, p.men, 1 - p.side, 255)) return false;
    const u64 own = own_boards(n, p.men);
    return fold_of(n, own) >> 6 != BOTH || compared(n, own) != 1;
}

DEV u32 copies(const Numbering &n, u64, Position p) {
    const u64 own = own_boards(n, p.men);
    return fold_of(n, own) >> 6 == BOTH && compared(n, own) == 0 ? 1 : 2;
}

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

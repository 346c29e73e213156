// Positions of Chinese chess on a device, and their numbers: see `xiangqi/numbers.rs`. Constants: MEN, the most men on
// the board, and DIGITS, the length of a table.
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

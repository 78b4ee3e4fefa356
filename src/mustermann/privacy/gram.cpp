// Squared norms of sums of outer products, one record at a time, in one pass over memory.
// Memory is what it waits for, so each record asks for the next one while it is computed.
//
// For a record's rows l_t (length T, width) and r_t (length T, height) it adds up
//     value = sum_st (l_s . l_t + bias) (r_s . r_t)
//     terms = (sum_t |(l_t, bias)| |r_t|)^2
// Inner products are taken in float32, everything above them in float64.
//
// Built without -ffast-math: NaN and infinity must come through, and sums stay in order.

#include <cmath>
#include <vector>

#if defined(__AVX512F__)
constexpr int LANES = 16;
#else
constexpr int LANES = 8;
#endif
// A tile has as many inner products as a vector has lanes, so that their partial sums,
// one vector each, fold into one vector of results.
constexpr int ROWS = 4;
constexpr int COLUMNS = LANES / ROWS;
constexpr long CACHE_LINE = 64;

typedef float Floats __attribute__((vector_size(LANES * sizeof(float))));
typedef double Doubles __attribute__((vector_size(LANES * sizeof(double))));
typedef Floats AnyFloats __attribute__((aligned(sizeof(float)), may_alias));

// A plain load: through a copy of bytes, compilers keep the rows of a tile in memory.
static inline Floats load(const float *from) { return *(const AnyFloats *)from; }

// Two levels of folding stay within quarters of four lanes, where a shuffle is cheapest; what
// is left of the quarters is added up last, which also puts the results in order.
static inline Floats fold_lanes(Floats a, Floats b) {
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30) +
           __builtin_shufflevector(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31);
#else
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
#endif
}

static inline Floats fold_quarters(Floats a, Floats b) {
#if defined(__AVX512F__)
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
#else
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
#endif
}

// Inner products of ROWS rows with COLUMNS rows of the same matrix, row by row in the lanes.
__attribute__((noinline)) static Floats tile(const float *const *rows, const float *const *columns, long size) {
    Floats sums[LANES] = {};
    long k = 0;
    for (; k + LANES <= size; k += LANES) {
        Floats right[COLUMNS];
#pragma GCC unroll 16
        for (int j = 0; j < COLUMNS; ++j) right[j] = load(columns[j] + k);
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; ++i) {
            const Floats left = load(rows[i] + k);
#pragma GCC unroll 16
            for (int j = 0; j < COLUMNS; ++j) sums[i * COLUMNS + j] += left * right[j];
        }
    }
    int count = LANES;
#pragma GCC unroll 16
    for (int level = 0; level < 2; ++level) {
        count /= 2;
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) sums[i] = fold_lanes(sums[2 * i], sums[2 * i + 1]);
    }
#pragma GCC unroll 16
    for (count /= 2; count > 0; count /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < count; ++i) sums[i] = fold_quarters(sums[2 * i], sums[2 * i + 1]);
    Floats result = sums[0];
    for (; k < size; ++k)
        for (int i = 0; i < ROWS; ++i)
            for (int j = 0; j < COLUMNS; ++j) result[i * COLUMNS + j] += rows[i][k] * columns[j][k];
    return result;
}

// What each inner product of a tile counts: 2 above the diagonal, for its mirror image, 1 on it.
struct Weights {
    Doubles lanes;
};

static Weights weights_of(long i0, long j0, long length) {
    Doubles weights = {};
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            const long row = i0 + i, column = j0 + j;
            if (row < length && column < length && column >= row)
                weights[i * COLUMNS + j] = row == column ? 1.0 : 2.0;
        }
    return {weights};
}

// Memory that will be read soon, to be fetched in equal parts.
class Ahead {
    const char *at, *const end;
    const long part;

  public:
    Ahead(const float *from, long count, long parts)
        : at((const char *)from), end((const char *)(from + count)), part((end - at) / (parts + 1) + CACHE_LINE) {}

    void fetch() {
        const char *stop = end - at < part ? end : at + part;
        for (; at < stop; at += CACHE_LINE) __builtin_prefetch(at);
    }
};

// `next` is how many records are to come after this one.
static void one_record(const float *left, const float *right, long next, long length, long width,
                       long height, float bias, const std::vector<Weights> &weights,
                       double *value, double *terms) {
    const long tiles = weights.size();
    Ahead left_ahead(left + length * width, next ? length * width : 0, tiles);
    Ahead right_ahead(right + length * height, next ? length * height : 0, tiles);
    const Weights *weight = weights.data();
    Doubles total = {};
    double sizes = 0.0;
    for (long i0 = 0; i0 < length; i0 += ROWS) {
        for (long j0 = i0; j0 < length; j0 += COLUMNS) {
            // Rows past the end repeat the last one at weight 0; but 0 times infinity is
            // NaN, which is right: the last row then makes the record infinite anyway.
            left_ahead.fetch();
            right_ahead.fetch();
            const float *left_rows[ROWS], *right_rows[ROWS];
            const float *left_columns[COLUMNS], *right_columns[COLUMNS];
            for (int i = 0; i < ROWS; ++i) {
                const long row = i0 + i < length ? i0 + i : length - 1;
                left_rows[i] = left + row * width;
                right_rows[i] = right + row * height;
            }
            for (int j = 0; j < COLUMNS; ++j) {
                const long row = j0 + j < length ? j0 + j : length - 1;
                left_columns[j] = left + row * width;
                right_columns[j] = right + row * height;
            }
            const Floats inner_left = tile(left_rows, left_columns, width) + bias;
            const Floats inner_right = tile(right_rows, right_columns, height);
            const Doubles products = __builtin_convertvector(inner_left, Doubles) *
                                     __builtin_convertvector(inner_right, Doubles);
            total += (weight++)->lanes * products;
            if (j0 >= i0 + ROWS) continue;
            for (int j = 0; j < COLUMNS && j0 + j < length; ++j)
                sizes += std::sqrt(products[(j0 - i0 + j) * COLUMNS + j]);
        }
    }
    double sum = 0.0;
    for (int lane = 0; lane < LANES; ++lane) sum += total[lane];
    *value = sum;
    *terms = sizes * sizes;
}

extern "C" void outer_norm2(const float *left, const float *right, long records, long length,
                            long width, long height, float bias, double *value, double *terms) {
    std::vector<Weights> weights;
    for (long i0 = 0; i0 < length; i0 += ROWS)
        for (long j0 = i0; j0 < length; j0 += COLUMNS) weights.push_back(weights_of(i0, j0, length));
    for (long b = 0; b < records; ++b)
        one_record(left + b * length * width, right + b * length * height, records - 1 - b, length,
                   width, height, bias, weights, value + b, terms + b);
}

// Exponentials, logarithms and sums of products whose bits are the same on every machine.
//
// Those of the C library, of NumPy and of BLAS have variants for several instruction sets, which differ in the last bit. Here are
// additions, multiplications, divisions and operations on bits only, which are rounded alike everywhere; the compiler must not
// contract them (-ffp-contract=off). Special values, overflow and underflow are those of the C standard.
//
// Polynomials are Chebyshev approximations. Errors were measured against 200 bits: exp 0.52 ulp (0.75 where the result is
// subnormal), log and log1p 0.6 ulp.
#pragma once

#include "common.hpp"

namespace costboost {

// The value of a polynomial, highest power first.
template <int N>
COSTBOOST_INLINE double polynomial(const double (&coefficient)[N], double x) {
    double sum = coefficient[0];
    for (int k = 1; k < N; k++) sum = sum * x + coefficient[k];
    return sum;
}

// ---- for many rows: simple enough that a compiler does several at once, exact to about an ulp -----------------------------

// e^x for |x| below 700. The polynomial approximates (e^r - 1 - r) / r^2 for |r| up to (log 2) / 2.
COSTBOOST_INLINE double exponential(double x) {
    constexpr double P[] = {2.51003767988125e-08,   2.762007713646922e-07, 2.7557268478279004e-06, 2.480152131972762e-05,
                            0.00019841269863041851, 0.0013888888917198419, 0.008333333333330065,   0.04166666666662416,
                            0.16666666666666669,    0.5};
    const double n = std::nearbyint(x * 1.4426950408889634074);
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    const double e = polynomial(P, r) * r * r + r + 1;
    const uint64_t bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(n) + 1023)) << 52;
    double scale;
    std::memcpy(&scale, &bits, 8);
    return e * scale;
}

// log(1 + e) for e from 0 to 1: twice the artanh of s = e / (2 + e), approximated in s^2 up to 1/9.
COSTBOOST_INLINE double log_one_plus(double e) {
    constexpr double P[] = {0.08522081781390699, 0.0416225325593041,  0.06055084364034609, 0.06650187016337313,
                            0.07693307021152004, 0.09090870416252403, 0.11111112040373837, 0.14285714272727057,
                            0.20000000000092874, 0.33333333333333076, 1.0};
    const double s = e / (2 + e);
    return 2 * s * polynomial(P, s * s);
}

// ---- for all numbers ------------------------------------------------------------------------------------------------------

namespace elementary {

COSTBOOST_INLINE uint64_t bits_of(double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, 8);
    return bits;
}
COSTBOOST_INLINE double of_bits(uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, 8);
    return x;
}
// 2^n for n from -1022 to 1023.
inline double power_of_two(int64_t n) { return of_bits(static_cast<uint64_t>(n + 1023) << 52); }
// The upper 26 bits of x: products of two such numbers are exact.
COSTBOOST_INLINE double upper_half(double x) { return of_bits(bits_of(x) & 0xFFFFFFFFF8000000ull); }

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NO_NUMBER = std::numeric_limits<double>::quiet_NaN();

// A number in two parts, the second one small against the first.
struct Parts {
    double high, low;
};

// 2^(j / 32), rounded, and the remainders.
constexpr double ROOTS[32] = {
    0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0, 0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0,
    0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0, 0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
    0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0, 0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0,
    0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0, 0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
    0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0, 0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0,
    0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0};
constexpr double ROOTS_REST[32] = {
    0x0.0p+0,               0x1.d73e2a475b465p-55,  0x1.8a62e4adc610bp-54,  -0x1.6c51039449b3ap-54, -0x1.19041b9d78a76p-55,
    0x1.e016e00a2643cp-54,  0x1.9b07eb6c70573p-54,  0x1.612e8afad1255p-55,  0x1.6f46ad23182e4p-55,  -0x1.63aeabf42eae2p-54,
    0x1.ada0911f09ebcp-55,  0x1.89b7a04ef80d0p-59,  0x1.d4397afec42e2p-56,  -0x1.07abe1db13cadp-55, 0x1.6324c054647adp-54,
    -0x1.383c17e40b497p-54, -0x1.bdd3413b26456p-54, -0x1.16e4786887a99p-55, -0x1.41577ee04992fp-55, -0x1.d4c1dd41532d8p-54,
    0x1.6e9f156864b27p-54,  -0x1.75fc781b57ebcp-57, 0x1.c7c46b071f2bep-56,  -0x1.d2f6edb8d41e1p-54, 0x1.7a1cd345dcc81p-54,
    -0x1.5584f7e54ac3bp-56, 0x1.11065895048ddp-55,  0x1.503cbd1e949dbp-56,  0x1.2ed02d75b3707p-55,  -0x1.1a5cd4f184b5cp-54,
    -0x1.e9c23179c2893p-54, 0x1.9d3e12dd8a18bp-54};

// e^(x + rest) = e 2^whole, the rest being at most about an ulp of x. With k the whole number next to 32 x / log 2, it is 2^(k / 32) e^r
// for a remainder |r| up to (log 2) / 64, for which the polynomial approximates (e^r - 1 - r) / r^2 (Tang 1989).
struct Scaled {
    double e;
    int64_t k, whole;

    COSTBOOST_INLINE Scaled(double x, double rest) {
        constexpr double P[] = {0.0013888925260947679, 0.008333362430989848, 0.041666666666559986, 0.16666666666581323, 0.5};
        constexpr double LIFT = 6755399441055744.0;  // 1.5 x 2^52
        constexpr double STEP = 0x1.62e42fefa0000p-6, STEP_REST = 0x1.cf79abc9e3b3ap-45;  // (log 2) / 32; k STEP is exact
        const double lifted = x * 0x1.71547652b82fep+5 + LIFT, n = lifted - LIFT;
        k = static_cast<int64_t>(bits_of(lifted) - bits_of(LIFT));
        const int64_t j = k & 31;
        const double high = x - n * STEP, low = n * STEP_REST - rest, r = high - low;
        const double raised = r + ((high - r) - low + polynomial(P, r) * (r * r));  // e^r - 1
        e = ROOTS[j] + (ROOTS_REST[j] + ROOTS[j] * raised);
        whole = k >> 5;
    }
};

// Where the result may overflow, underflow or be no number.
inline double exp_of_far(double x, double rest) {
    if (x != x) return x;
    if (x > 709.782712893384) return INFINITE;
    if (x < -745.1332191019412) return 0;
    const Scaled scaled(x, rest);
    if (x > 0) return scaled.e * 2 * power_of_two(scaled.whole - 1);
    return scaled.e * power_of_two(scaled.whole + 100) * 0x1p-100;
}

COSTBOOST_INLINE bool is_near(double x) { return (x < 708) & (x > -708); }

inline double exp_of_parts(double x, double rest) {
    if (!is_near(x)) return exp_of_far(x, rest);
    const Scaled scaled(x, rest);
    return scaled.e * power_of_two(scaled.whole);
}

inline double exp(double x) { return exp_of_parts(x, 0); }

// exp where is_near: the same bits, in operations of which compilers do several at once. Shifted by 47 bits, 32 whole is the
// exponent of 2^whole.
COSTBOOST_INLINE double exp_of_near(double x) {
    const Scaled scaled(x, 0);
    return scaled.e * of_bits((static_cast<uint64_t>(scaled.k - (scaled.k & 31)) << 47) + (uint64_t{1023} << 52));
}

// The exponentials of an array, in place.
COSTBOOST_DISPATCH inline void exp_all(double* values, int64_t n) {
    constexpr int64_t BLOCK = 256;
    for (int64_t a = 0; a < n; a += BLOCK) {
        double* block = values + a;
        const int64_t m = std::min(BLOCK, n - a);
        bool near = true;
        for (int64_t i = 0; i < m; i++) near &= is_near(block[i]);
        if (near)
            for (int64_t i = 0; i < m; i++) block[i] = exp_of_near(block[i]);
        else
            for (int64_t i = 0; i < m; i++) block[i] = exp(block[i]);
    }
}

// log(1 + f) for f from sqrt(1/2) - 1 to sqrt(2) - 1. With s = f / (2 + f) it is 2 artanh s = f - f^2/2 + s (f^2/2 + R), and the
// polynomial approximates R / s^2. The first two terms are exact.
COSTBOOST_INLINE Parts log_near_one(double f) {
    constexpr double P[] = {0.13086767009948175, 0.13268759668560612, 0.15386240205813478, 0.18181795630884753,
                            0.2222222239180047,  0.2857142857080323,  0.4000000000000088,  0.6666666666666666};
    const double s = f / (2 + f), z = s * s, upper = upper_half(f);
    const double square = 0.5 * upper * upper, rest = 0.5 * (f - upper) * (f + upper);
    const double high = f - square;
    return {high, ((f - high) - square) - rest + s * (square + rest + z * polynomial(P, z))};
}

constexpr double LOG_2 = 0x1.62e42fefa3800p-1, LOG_2_REST = 0x1.ef35793c76730p-45;  // products of LOG_2 with exponents are exact

// x = 2^exponent times (1 + f), for positive finite x.
struct Reduced {
    int exponent;
    double f;

    explicit Reduced(double x) {
        int shift = 0;
        if (x < 0x1p-1022) x *= 0x1p54, shift = 54;
        constexpr uint64_t ROOT = 0x3fe6a09e00000000ull;  // sqrt(1/2)
        const uint64_t bits = bits_of(x);
        const int64_t above = static_cast<int64_t>(bits - ROOT) >> 52;
        f = of_bits(bits - (static_cast<uint64_t>(above) << 52)) - 1;
        exponent = static_cast<int>(above) - shift;
    }
};

// log of 2^exponent (1 + f), and a small number, in two parts.
inline Parts log_of_reduced(const Reduced& x, double more) {
    const Parts inner = log_near_one(x.f);
    if (x.exponent == 0) return {inner.high, inner.low + more};
    const double whole = x.exponent * LOG_2, sum = whole + inner.high;
    return {sum, ((whole - sum) + inner.high) + (inner.low + (x.exponent * LOG_2_REST + more))};
}

// The logarithm of a number that is not positive and finite.
inline double log_of_special(double x) { return x != x || x > 0 ? x : x < 0 ? NO_NUMBER : -INFINITE; }

inline bool is_regular(double x) { return x > 0 && x < INFINITE; }

inline double log(double x) {
    if (!is_regular(x)) return log_of_special(x);
    const Parts found = log_of_reduced(Reduced(x), 0);
    return found.high + found.low;
}

inline double log1p(double x) {
    const double size = x < 0 ? -x : x;
    if (size < 0x1p-54) return x;
    if (x > -0.29 && x < 0.41) {
        const Parts found = log_near_one(x);
        return found.high + found.low;
    }
    const double sum = 1 + x;
    if (!is_regular(sum)) return log_of_special(sum);
    const double lost = size < 1 ? x - (sum - 1) : 1 - (sum - x);
    const Parts found = log_of_reduced(Reduced(sum), lost / sum);
    return found.high + found.low;
}

// log1p from 0 to 1: the same bits, in operations of which compilers do several at once.
COSTBOOST_INLINE double log1p_to_one(double x) {
    constexpr double ROOT = 0x1.6a09ep+0;  // from here on Reduced halves
    const double sum = 1 + x;
    const bool near = x < 0.41, halved = sum >= ROOT;
    const double f = near ? x : halved ? 0.5 * sum - 1 : sum - 1, more = near ? 0 : (x - (sum - 1)) / sum;
    const Parts inner = log_near_one(f);
    const double whole = LOG_2 + inner.high;
    const double high = halved ? whole : inner.high;
    const double low = halved ? ((LOG_2 - whole) + inner.high) + (inner.low + (LOG_2_REST + more)) : inner.low + more;
    return x < 0x1p-54 ? x : high + low;
}

COSTBOOST_DISPATCH inline void log1p_all_to_one(double* values, int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = log1p_to_one(values[i]);
}

// log2 of 2^exponent (1 + f).
COSTBOOST_INLINE double log2_of_reduced(double exponent, double f) {
    constexpr double PER_LOG = 0x1.7154760000000p+0, PER_LOG_REST = 0x1.4ae0bf85ddf44p-26;  // 1 / log 2
    const Parts inner = log_near_one(f);
    const double upper = upper_half(inner.high), first = upper * PER_LOG;
    const double rest = (inner.high - upper + inner.low) * PER_LOG + (inner.high + inner.low) * PER_LOG_REST;
    const double sum = exponent + first;
    const double lost = exponent == 0 ? 0 : (exponent - sum) + first;
    return sum + (lost + rest);
}

// Exact for powers of 2.
inline double log2(double x) {
    if (!is_regular(x)) return log_of_special(x);
    const Reduced reduced(x);
    return log2_of_reduced(reduced.exponent, reduced.f);
}

// log2 of finite x from 1 on: the same bits, in operations of which compilers do several at once.
COSTBOOST_INLINE double log2_from_one(double x) {
    constexpr uint64_t ROOT = 0x3fe6a09e00000000ull;  // as in Reduced
    const uint64_t bits = bits_of(x), above = (bits - ROOT) >> 52;
    return log2_of_reduced(of_bits(above | 0x4330000000000000ull) - 0x1p52, of_bits(bits - (above << 52)) - 1);
}

// x^y for x from 0 on, to about 1 + |y log x| / 8 ulps. Squares and square roots are rounded correctly.
inline double power(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (y == 1 || x != x || y != y) return x + (y - y);
    if (y == 2) return x * x;
    if (y == 0.5) return std::sqrt(x);
    if (x < 0) return NO_NUMBER;
    if (!is_regular(x) || !(y < INFINITE && y > -INFINITE)) {
        const bool great = (x > 1) == (y > 0);
        return great ? INFINITE : 0;
    }
    const Parts log_x = log_of_reduced(Reduced(x), 0);
    const double sum = log_x.high + log_x.low, rest = (log_x.high - sum) + log_x.low, product = sum * y;
    if (!(product < 800 && product > -800)) return product > 0 ? INFINITE : 0;
    const double upper = upper_half(sum), upper_y = upper_half(y);
    const double lost = ((upper * upper_y - product) + upper * (y - upper_y) + (sum - upper) * upper_y) + (sum - upper) * (y - upper_y);
    return exp_of_parts(product, lost + rest * y);
}

// 1 / (1 + e^-x)
inline double expit(double x) {
    const double e = exp(x < 0 ? x : -x);
    return (x < 0 ? e : 1) / (1 + e);
}

// log(p / (1 - p)); near 1/2 by logarithms near 1, as p / (1 - p) has lost its last digits there.
inline double logit(double p) {
    if (!(p > 0.3 && p < 0.65)) return log(p / (1 - p));
    const double s = 2 * p - 1;
    return log1p(s) - log1p(-s);
}

// (e^x - e^-x) / 2
inline double sinh(double x) {
    if (x > -0.3 && x < 0.3) {
        const double z = x * x;
        return x * (1 + z / 6 * (1 + z / 20 * (1 + z / 42 * (1 + z / 72 * (1 + z / 110)))));
    }
    const double half = 0.5 * exp(x < 0 ? -x : x), size = half - 0.25 / half;
    return x < 0 ? -size : size;
}

// The function of every entry of an array, in place.
template <double (*FUNCTION)(double)>
void map(double* values, int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = FUNCTION(values[i]);
}

// ---- sums of products, term by term ---------------------------------------------------------------------------------------

inline double dot(const double* a, const double* b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// The product of matrices n x m and m x k. Every entry is a sum in the order of m, however many a compiler computes at once.
COSTBOOST_DISPATCH inline void matrix_product(const double* a, const double* b, int64_t n, int64_t m, int64_t k, double* out) {
    std::fill(out, out + n * k, 0.0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < m; l++) {
            const double factor = a[i * m + l];
            const double* row = b + l * k;
            double* sum = out + i * k;
            for (int64_t j = 0; j < k; j++) sum[j] += factor * row[j];
        }
}

}  // namespace elementary
}  // namespace costboost

// The products of this folder. For each: a name, the types of A, B and C, rows
// and columns of A, of B and of C as the source has them, and which elements of
// C it writes. All are stored by rows, with a distance of lda, ldb, ldc
// elements between them.
//
// PRODUCT(name, TA, TB, TC, rows of A, columns, of B, …, of C, …, written)
PRODUCT(plain, double, double, double, M, K, K, N, M, N, ALL)
PRODUCT(outwards, float, float, float, M, K, K, N, M, N, ALL)
PRODUCT(transposed_a, double, double, double, K, M, K, N, M, N, ALL)
PRODUCT(transposed_b, double, double, double, M, K, N, K, M, N, ALL)
PRODUCT(scaled, double, double, double, M, K, K, N, M, N, ALL)
PRODUCT(overwritten, double, double, double, M, K, K, N, M, N, ALL)
PRODUCT(widened, float, float, double, M, K, N, K, M, N, ALL)
PRODUCT(bytes, signed char, unsigned char, int, M, K, N, K, M, N, ALL)
PRODUCT(shorts, short, short, int, M, K, K, N, M, N, ALL)
PRODUCT(squared, double, double, double, M, K, 0, 0, M, M, LOWER)
PRODUCT(triangle, double, double, double, M, M, 0, 0, M, N, ALL)
PRODUCT(apart, double, double, double, M, K, K, N, M, 2 * N - 1, SECOND)
PRODUCT(symmetric, double, double, double, M, M, M, N, M, N, ALL)
PRODUCT(nonzero, int, int, int, M, K, K, N, M, N, ALL)
PRODUCT(two, double, double, double, M, K, K, N, M, N, ALL)
PRODUCT(rows, double, double, double, M, K, K, N, M, N, ALL)
PRODUCT(small, double, double, double, 13, 9, 11, 9, 13, 11, ALL)
PRODUCT(small_float, float, float, float, 19, 7, 7, 21, 19, 21, ALL)
#undef PRODUCT

#include "moments.h"

#include <math.h>
#include <string.h>

/*
 * A sum of doubles without any rounding: an integer in chunks of 32 bits, in units of the smallest double. Source: the
 * small superaccumulator of R. M. Neal, "Fast exact summation using small and large superaccumulators",
 * arXiv:1505.05571, section 3. Each chunk has room for 2^30 numbers before it is carried, more than a rank has here.
 */
enum { chunks = 68, products = coordinates + 3 };

typedef struct exact_sum {
  int64_t chunk[chunks];
} exact_sum;

static void add(exact_sum* sum, double number) {
  uint64_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  const uint64_t exponent = bits >> 52 & 0x7FF;
  const uint64_t is_normal = exponent != 0;
  const uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFULL) | is_normal << 52;
  const uint64_t shift = (exponent - is_normal) % 32;
  const uint64_t low = mantissa << shift;
  const uint64_t high = mantissa >> 1 >> (63 - shift);
  const int64_t sign = bits >> 63 != 0 ? -1 : 1;
  int64_t* chunk = &sum->chunk[(exponent - is_normal) / 32];
  chunk[0] += sign * (int64_t)(low & 0xFFFFFFFF);
  chunk[1] += sign * (int64_t)(low >> 32);
  chunk[2] += sign * (int64_t)high;
}

/* Brings all chunks but the last one into [0, 2^32). */
static void carry(exact_sum* sum) {
  for (int i = 0; i + 1 < chunks; ++i) {
    const int64_t low = sum->chunk[i] & 0xFFFFFFFF;
    sum->chunk[i + 1] += (sum->chunk[i] - low) / ((int64_t)1 << 32);
    sum->chunk[i] = low;
  }
}

static uint64_t bit(const exact_sum* sum, int i) { return (uint64_t)sum->chunk[i / 32] >> (i % 32) & 1; }

/* The nearest double, ties to even. */
static double rounded(exact_sum sum) {
  carry(&sum);
  const int is_negative = sum.chunk[chunks - 1] < 0;
  if (is_negative) {
    for (int i = 0; i < chunks; ++i) sum.chunk[i] = -sum.chunk[i];
    carry(&sum);
  }
  int top = 32 * chunks - 1;
  while (top >= 0 && bit(&sum, top) == 0) --top;
  if (top < 0) return 0;
  const int lowest = top > 52 ? top - 52 : 0;
  uint64_t mantissa = 0;
  for (int i = top; i >= lowest; --i) mantissa = mantissa << 1 | bit(&sum, i);
  if (lowest > 0 && bit(&sum, lowest - 1) != 0) {
    int below = lowest - 2;
    while (below >= 0 && bit(&sum, below) == 0) --below;
    if (below >= 0 || mantissa % 2 == 1) ++mantissa;
  }
  const double magnitude = ldexp((double)mantissa, lowest - 1074);
  return is_negative ? -magnitude : magnitude;
}

static void sum_over_ranks(exact_sum* sums, int count, MPI_Comm communicator) {
  for (int i = 0; i < count; ++i) carry(&sums[i]);
  MPI_Allreduce(MPI_IN_PLACE, sums, count * chunks, MPI_INT64_T, MPI_SUM, communicator);
}

static void measure_first(const bunch* mine, MPI_Comm communicator, moments* found) {
  exact_sum sums[coordinates];
  uint64_t all = mine->particles;
  memset(sums, 0, sizeof sums);
  for (int c = 0; c < coordinates; ++c) {
    for (uint64_t i = 0; i < mine->particles; ++i) add(&sums[c], mine->values[c][i]);
  }
  sum_over_ranks(sums, coordinates, communicator);
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, communicator);
  found->particles = (int64_t)all;
  for (int c = 0; all > 0 && c < coordinates; ++c) found->centroid[c] = rounded(sums[c]) / (double)all;
}

static void measure_second(const bunch* mine, MPI_Comm communicator, moments* found) {
  const double count = (double)found->particles;
  exact_sum sums[products];
  memset(sums, 0, sizeof sums);
  for (uint64_t i = 0; i < mine->particles; ++i) {
    double from[coordinates];
    for (int c = 0; c < coordinates; ++c) {
      from[c] = mine->values[c][i] - found->centroid[c];
      add(&sums[c], from[c] * from[c]);
    }
    for (int plane = 0; plane < 3; ++plane) add(&sums[coordinates + plane], from[2 * plane] * from[2 * plane + 1]);
  }
  sum_over_ranks(sums, products, communicator);
  for (int c = 0; c < coordinates; ++c) found->rms[c] = sqrt(rounded(sums[c]) / count);
  for (int plane = 0; plane < 3; ++plane) {
    const double qq = rounded(sums[2 * plane]) / count;
    const double pp = rounded(sums[2 * plane + 1]) / count;
    const double qp = rounded(sums[coordinates + plane]) / count;
    found->emittance[plane] = sqrt(fmax(0.0, qq * pp - qp * qp));
  }
}

moments measure(const bunch* mine, MPI_Comm communicator) {
  moments found;
  memset(&found, 0, sizeof found);
  measure_first(mine, communicator, &found);
  if (found.particles > 0) measure_second(mine, communicator, &found);
  return found;
}

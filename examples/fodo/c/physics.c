#include "physics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A linear map of one plane: (q, p) becomes (qq q + qp p, pq q + pp p). */
typedef struct plane_map {
  double qq, qp, pq, pp;
} plane_map;

/* The linear part of a piece of the channel between two kicks. */
typedef struct piece {
  plane_map x, y;
  double slip; /* z grows by slip * delta, in m */
} piece;

typedef struct cell_map {
  piece pieces[3];
  double half_sextupole, rf_linear, rf_cubic, rf_quintic;
} cell_map;

channel default_channel(void) {
  const channel of = {1.2132, 5.0, 0.2, 0.8, 10.0, 0.002, 7.4, -1.0 / 6, 1.0 / 120};
  return of;
}

double cell_length(const channel* of) { return 2 * (of->quadrupole_length + of->drift_length); }

bunch new_bunch(uint64_t particles) {
  bunch mine;
  mine.particles = particles;
  for (int c = 0; c < coordinates; ++c) mine.values[c] = calloc(particles + 1, sizeof(double));
  mine.id = calloc(particles + 1, sizeof(int64_t));
  return mine;
}

void free_bunch(bunch* mine) {
  for (int c = 0; c < coordinates; ++c) free(mine->values[c]);
  free(mine->id);
}

/* The generator of ../random.cpp: Philox 4x32 with 10 rounds. */
static void philox(uint32_t counter[4], uint64_t seed) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = 0xD2511F53ULL * counter[0];
    const uint64_t second = 0xCD9E8D57ULL * counter[2];
    const uint32_t next[4] = {(uint32_t)(second >> 32) ^ counter[1] ^ key[0], (uint32_t)second,
                              (uint32_t)(first >> 32) ^ counter[3] ^ key[1], (uint32_t)first};
    memcpy(counter, next, sizeof next);
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
}

/* Nearly Gaussian: the sum of 12 uniform numbers. */
static double gaussian(uint64_t seed, uint64_t particle, uint32_t coordinate) {
  int64_t sum = -6 * 0xFFFFFFFFLL;
  for (uint32_t block = 0; block < 3; ++block) {
    uint32_t words[4] = {(uint32_t)particle, (uint32_t)(particle >> 32), coordinate, block};
    philox(words, seed);
    for (int i = 0; i < 4; ++i) sum += words[i];
  }
  return (double)sum * 0x1p-32;
}

/* By the power series of cos(sqrt(k) l) and sin(sqrt(k) l)/sqrt(k). */
static plane_map quadrupole_map(double strength, double length) {
  double cosine = 0;
  double sine = 0;
  double term = 1;
  for (int n = 0; n < 30; ++n) {
    cosine += term;
    sine += term * length / (2 * n + 1);
    term *= -strength * length * length / ((2 * n + 1) * (2 * n + 2));
  }
  return (plane_map){cosine, sine, -strength * sine, cosine};
}

static plane_map drift_map(double length) { return (plane_map){1, length, 0, 1}; }

/* The map that applies `first`, then `second`. */
static plane_map after(plane_map second, plane_map first) {
  return (plane_map){second.qq * first.qq + second.qp * first.pq, second.qq * first.qp + second.qp * first.pp,
                     second.pq * first.qq + second.pp * first.pq, second.pq * first.qp + second.pp * first.pp};
}

static cell_map map_of(const channel* of) {
  cell_map map;
  const double half_length = of->quadrupole_length / 2;
  const double slip = 1 / (of->gamma * of->gamma);
  const plane_map half_focusing = quadrupole_map(of->quadrupole, half_length);
  const plane_map half_defocusing = quadrupole_map(-of->quadrupole, half_length);
  const plane_map focusing = quadrupole_map(of->quadrupole, of->quadrupole_length);
  const plane_map defocusing = quadrupole_map(-of->quadrupole, of->quadrupole_length);
  const plane_map drift = drift_map(of->drift_length);
  map.half_sextupole = of->sextupole / 2;
  map.rf_linear = -of->rf * of->rf_wave_number;
  map.rf_cubic = map.rf_linear * of->rf_cubic * of->rf_wave_number * of->rf_wave_number;
  map.rf_quintic = map.rf_linear * of->rf_quintic * of->rf_wave_number * of->rf_wave_number * of->rf_wave_number *
                   of->rf_wave_number;
  map.pieces[0] = (piece){half_focusing, half_defocusing, slip * half_length};
  map.pieces[1] =
      (piece){after(defocusing, drift), after(focusing, drift), slip * (of->drift_length + of->quadrupole_length)};
  map.pieces[2] =
      (piece){after(half_focusing, drift), after(half_defocusing, drift), slip * (of->drift_length + half_length)};
  return map;
}

/* Makes (q, p) Gaussian with an emittance of 1e-6 m and the matched ellipse of a map. */
static void match(double* q, double* p, plane_map map) {
  const double emittance = 1e-6;
  const double cosine = (map.qq + map.pp) / 2;
  const double sine = copysign(sqrt(1 - cosine * cosine), map.qp);
  const double beta = map.qp / sine;
  const double alpha = (map.qq - map.pp) / (2 * sine);
  *p = sqrt(emittance / beta) * (*p - alpha * *q);
  *q *= sqrt(emittance * beta);
}

void fill_bunch(bunch* mine, uint64_t first, const channel* of) {
  static const double offset[coordinates] = {1e-3, 0, -5e-4, 0, 0, 0};
  const cell_map map = map_of(of);
  const piece* pieces = map.pieces;
  const plane_map horizontal = after(after(pieces[2].x, pieces[1].x), pieces[0].x);
  const plane_map vertical = after(after(pieces[2].y, pieces[1].y), pieces[0].y);
  for (uint64_t i = 0; i < mine->particles; ++i) {
    double at[coordinates];
    mine->id[i] = (int64_t)(first + i);
    for (uint32_t c = 0; c < coordinates; ++c) at[c] = gaussian(1, first + i, c);
    match(&at[x], &at[px], horizontal);
    match(&at[y], &at[py], vertical);
    at[z] *= 0.01;
    at[delta] *= 1e-3;
    for (int c = 0; c < coordinates; ++c) mine->values[c][i] = at[c] + offset[c];
  }
}

static void move(double* at, const piece* by) {
  const double old_x = at[x];
  const double old_y = at[y];
  at[x] = by->x.qq * old_x + by->x.qp * at[px];
  at[px] = by->x.pq * old_x + by->x.pp * at[px];
  at[y] = by->y.qq * old_y + by->y.qp * at[py];
  at[py] = by->y.pq * old_y + by->y.pp * at[py];
  at[z] += by->slip * at[delta];
}

static void kick(double* at, double half_strength) {
  at[px] -= half_strength * (at[x] * at[x] - at[y] * at[y]);
  at[py] += 2 * half_strength * at[x] * at[y];
}

void track(bunch* mine, int64_t cells, const channel* of) {
  const cell_map map = map_of(of);
  for (uint64_t i = 0; i < mine->particles; ++i) {
    double at[coordinates];
    for (int c = 0; c < coordinates; ++c) at[c] = mine->values[c][i];
    for (int64_t cell = 0; cell < cells; ++cell) {
      move(at, &map.pieces[0]);
      kick(at, map.half_sextupole);
      move(at, &map.pieces[1]);
      kick(at, -map.half_sextupole);
      move(at, &map.pieces[2]);
      const double square = at[z] * at[z];
      at[delta] += at[z] * (map.rf_linear + square * (map.rf_cubic + square * map.rf_quintic));
    }
    for (int c = 0; c < coordinates; ++c) mine->values[c][i] = at[c];
  }
}

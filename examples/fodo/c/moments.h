/* Moments of a bunch by sums without rounding, as in ../moments.hpp, bit for bit. */

#ifndef FODO_MOMENTS_H
#define FODO_MOMENTS_H

#include <mpi.h>

#include "physics.h"

typedef struct moments {
  int64_t particles;
  double centroid[coordinates];
  double rms[coordinates];
  double emittance[3]; /* projected, of the planes (x, px), (y, py), (z, delta) */
} moments;

/* Collective. Two reductions. */
moments measure(const bunch* mine, MPI_Comm communicator);

#endif

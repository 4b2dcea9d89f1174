/* A bunch of particles and the map of a cell of a FODO channel, as in ../physics.hpp, bit for bit. */

#ifndef FODO_PHYSICS_H
#define FODO_PHYSICS_H

#include <stdint.h>

/* x, y, z in m; px = Px/P0 and py = Py/P0; z is positive ahead of the reference particle; delta = (P - P0)/P0. */
enum { x, px, y, py, z, delta, coordinates };

typedef struct bunch {
  uint64_t particles;
  double* values[coordinates];
  int64_t* id; /* places in the whole bunch, from 0 */
} bunch;

typedef struct channel {
  double gamma;             /* Lorentz factor of the reference particle */
  double quadrupole;        /* strength k1 in 1/m^2, focusing in x first */
  double quadrupole_length; /* in m */
  double drift_length;      /* in m */
  double sextupole;         /* integrated strength k2 L in 1/m^2 */
  double rf;                /* largest relative change of momentum in the cavity */
  double rf_wave_number;    /* in 1/m */
  double rf_cubic;          /* the kick is -rf (u + rf_cubic u^3 + rf_quintic u^5), u = rf_wave_number z */
  double rf_quintic;
} channel;

channel default_channel(void);
double cell_length(const channel* of);

/* Memory for particles; null members if there is not enough. */
bunch new_bunch(uint64_t particles);
void free_bunch(bunch* mine);

/* Particles `first`, first + 1, ... of the bunch at the beginning, matched to the channel. */
void fill_bunch(bunch* mine, uint64_t first, const channel* of);

/* Moves every particle through so many cells. */
void track(bunch* mine, int64_t cells, const channel* of);

#endif

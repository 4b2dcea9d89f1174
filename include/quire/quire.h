#ifndef QUIRE_QUIRE_H
#define QUIRE_QUIRE_H

/*
 * The C interface, in C99.
 *
 * Errors. Every function that can fail returns a status, QUIRE_OK being 0. The library never prints and never ends the
 * program. quire_error_message() returns the full message of the last call that failed on a handle. There is no other
 * error state, neither global nor per thread; functions without a handle only return the status. Null handles and null
 * pointers where a value is required are QUIRE_USAGE.
 *
 * Ownership. The functions with a parameter `quire_file** file` create a handle also on failure, for its message; the
 * caller owns it and releases it with quire_free() in every case, after quire_close() if it was opened. Those with a
 * parameter `quire_texts**` create texts, which the caller releases with quire_free_texts(), likewise for
 * quire_layout. All of these accept null. Strings and arrays that are passed in remain the caller's; all are copied or
 * used during the call, with one exception: the values passed to quire_put(), quire_put_field() and
 * quire_put_elements() are only referenced, and must neither move nor change until quire_commit() or quire_abort()
 * returns. Strings that the library returns belong to the handle and are valid until the next call on it, or as long as
 * the comment of a function states.
 *
 * Names. quire_set_* states what following calls mean, or attributes; quire_put_* passes values that the commit
 * writes; quire_declare_*, quire_weigh_* and quire_write_* pass them in parts; quire_get_* returns what is known
 * without reading values; quire_read_* reads values, independently, or collectively if its name ends in _all.
 * Structures that the library fills are passed with their size, those that it reads have it as first member.
 *
 * Ranks. Functions that open files by their path alone are for a program of one process; quire/quire_mpi.h has them for
 * a communicator. With MPI initialised on several ranks they fail with QUIRE_USAGE: a rank that works alone passes
 * MPI_COMM_SELF. Calls marked Collective must then be made by all its ranks in the same order, also by a rank without
 * rows. Errors of collective calls are the same on all ranks. A handle must not be used by two threads at the same
 * time.
 */

// IWYU pragma: begin_exports
#include "quire/capi/attributes.h"
#include "quire/capi/base.h"
#include "quire/capi/definitions.h"
#include "quire/capi/elements.h"
#include "quire/capi/fields.h"
#include "quire/capi/files.h"
#include "quire/capi/formats.h"
#include "quire/capi/inquiry.h"
#include "quire/capi/parts.h"
#include "quire/capi/streams.h"
#include "quire/capi/tables.h"
#include "quire/capi/tools.h"
// IWYU pragma: end_exports

#endif

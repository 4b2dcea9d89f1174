/* The parts of the test that calls every function; each runs with all formats that have what it needs. */

#ifndef QUIRE_TESTS_CAPI_CALLS_H
#define QUIRE_TESTS_CAPI_CALLS_H

#include "context.h"

void inquires_files(context* test);            /* inquiry.c */
void reads_and_writes_texts(context* test);    /* texts.c */
void selects_rows_and_elements(context* test); /* selections.c */
void handles_steps_and_files(context* test);   /* steps.c */
void writes_and_reads_streams(context* test);  /* streams.c */
void writes_and_reads_elements(context* test); /* elements.c */
void uses_tools(context* test);                /* tools.c */
void refuses_null_handles(context* test);      /* nulls.c */
void agrees_on_one_wrong_rank(context* test);  /* discord.c */

#endif

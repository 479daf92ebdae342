// libpq, which is loaded when it is first needed: a program that uses no PostgreSQL runs without it and what it needs.
#pragma once

// Debian and Ubuntu have a folder for it.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// Loads the library, unless it is loaded. Call this before any function of libpq. Returns why that failed; NULL if it is
// loaded.
const char *_Nullable cpostgresql_load(void);

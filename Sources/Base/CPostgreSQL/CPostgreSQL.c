#include "CPostgreSQL.h"
#include <dlfcn.h>
#include <pthread.h>

// The functions that the program calls: what each returns, its parameters, and their names.
#define FUNCTIONS(FUNCTION)                                                                                            \
  FUNCTION(PQconninfoOption *, PQconninfoParse, (const char *text, char **message), (text, message))                   \
  FUNCTION(void, PQconninfoFree, (PQconninfoOption * options), (options))                                              \
  FUNCTION(PGconn *, PQconnectdbParams, (const char *const *names, const char *const *values, int expand),             \
           (names, values, expand))                                                                                    \
  FUNCTION(ConnStatusType, PQstatus, (const PGconn *connection), (connection))                                         \
  FUNCTION(char *, PQerrorMessage, (const PGconn *connection), (connection))                                           \
  FUNCTION(const char *, PQparameterStatus, (const PGconn *connection, const char *name), (connection, name))          \
  FUNCTION(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn * connection, PQnoticeProcessor processor, void *data),    \
           (connection, processor, data))                                                                              \
  FUNCTION(int, PQsetnonblocking, (PGconn * connection, int value), (connection, value))                               \
  FUNCTION(int, PQsocket, (const PGconn *connection), (connection))                                                    \
  FUNCTION(void, PQfinish, (PGconn * connection), (connection))                                                        \
  FUNCTION(int, PQsendQuery, (PGconn * connection, const char *query), (connection, query))                            \
  FUNCTION(int, PQsendPrepare,                                                                                         \
           (PGconn * connection, const char *name, const char *query, int count, const Oid *types),                    \
           (connection, name, query, count, types))                                                                    \
  FUNCTION(int, PQsendQueryPrepared,                                                                                   \
           (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths,           \
            const int *formats, int format),                                                                           \
           (connection, name, count, values, lengths, formats, format))                                                \
  FUNCTION(int, PQflush, (PGconn * connection), (connection))                                                          \
  FUNCTION(int, PQconsumeInput, (PGconn * connection), (connection))                                                   \
  FUNCTION(int, PQisBusy, (PGconn * connection), (connection))                                                         \
  FUNCTION(PGnotify *, PQnotifies, (PGconn * connection), (connection))                                                \
  FUNCTION(PGresult *, PQgetResult, (PGconn * connection), (connection))                                               \
  FUNCTION(void, PQclear, (PGresult * result), (result))                                                               \
  FUNCTION(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                                         \
  FUNCTION(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))                           \
  FUNCTION(char *, PQcmdStatus, (PGresult * result), (result))                                                         \
  FUNCTION(char *, PQcmdTuples, (PGresult * result), (result))                                                         \
  FUNCTION(int, PQntuples, (const PGresult *result), (result))                                                         \
  FUNCTION(int, PQnfields, (const PGresult *result), (result))                                                         \
  FUNCTION(char *, PQfname, (const PGresult *result, int column), (result, column))                                    \
  FUNCTION(Oid, PQftype, (const PGresult *result, int column), (result, column))                                       \
  FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))                   \
  FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))                     \
  FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))                     \
  FUNCTION(void, PQfreemem, (void *memory), (memory))

#define FORWARD(type, name, parameters, arguments)                                                                     \
  static __typeof__(name) *loaded_##name;                                                                              \
  type name parameters { return loaded_##name arguments; }

#define LOAD(type, name, parameters, arguments)                                                                        \
  loaded_##name = (__typeof__(name) *)dlsym(library, #name);                                                           \
  if (!loaded_##name) {                                                                                                \
    failure = "it has no function " #name;                                                                             \
    return;                                                                                                            \
  }

FUNCTIONS(FORWARD)

static const char *failure;

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    failure = "it is not installed";
    return;
  }
  FUNCTIONS(LOAD)
}

const char *cpostgresql_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return failure;
}

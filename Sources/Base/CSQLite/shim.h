#include <sqlite3.h>

// Swift cannot call functions with variable arguments. Has an effect before the first database is opened.
static inline void csqlite_count_no_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

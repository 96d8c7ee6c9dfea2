#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the bytes at once.
static inline sqlite3_destructor_type tsugi_sqlite_transient(void) {
  return SQLITE_TRANSIENT;
}

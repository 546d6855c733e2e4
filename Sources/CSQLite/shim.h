#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast in a macro, which Swift does not import.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// A variadic function, which Swift does not import. Without counting what SQLite has allocated, its threads share no lock
// for it; nothing reads the count. To be called before anything else of SQLite, else it does nothing.
static inline int csqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

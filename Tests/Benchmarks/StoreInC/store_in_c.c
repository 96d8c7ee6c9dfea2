#include "store_in_c.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 100, COLUMNS_COPIED = 3 };

// A row given to the caller; its three parts stand one after another at `bytes`.
struct row {
  int64_t order;
  uint8_t *bytes;
  size_t tie_bytes, id_bytes, content_bytes;
};

struct slice_reader {
  sqlite3 *database;
  sqlite3_stmt *statement;
  enum slice_copying copying;
  struct row rows[ROWS_MAX];
  int row_count;
  uint8_t *buffer;
  size_t buffer_bytes, used_bytes;
};

struct slice_reader *slice_reader_open(const char *path, const char *setup, const char *sql,
                                       enum slice_copying copying) {
  struct slice_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  reader->copying = copying;
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &reader->database, flags, NULL) != SQLITE_OK ||
      sqlite3_exec(reader->database, setup, NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_prepare_v3(reader->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &reader->statement,
                         NULL) != SQLITE_OK) {
    slice_reader_close(reader);
    return NULL;
  }
  return reader;
}

static uint8_t *space(struct slice_reader *reader, size_t bytes) {
  if (reader->copying == SLICE_BLOCK_PER_ROW) return malloc(bytes);
  if (reader->used_bytes + bytes > reader->buffer_bytes) {
    size_t grown = 2 * (reader->used_bytes + bytes);
    uint8_t *buffer = realloc(reader->buffer, grown);
    if (buffer == NULL) return NULL;
    reader->buffer = buffer;
    reader->buffer_bytes = grown;
  }
  uint8_t *start = reader->buffer + reader->used_bytes;
  reader->used_bytes += bytes;
  return start;
}

static void forget_rows(struct slice_reader *reader) {
  if (reader->copying == SLICE_BLOCK_PER_ROW) {
    for (int index = 0; index < reader->row_count; index++) free(reader->rows[index].bytes);
  }
  reader->row_count = 0;
  reader->used_bytes = 0;
}

static int64_t copy_row(struct slice_reader *reader) {
  const void *parts[COLUMNS_COPIED];
  size_t counts[COLUMNS_COPIED], total = 0;
  for (int part = 0; part < COLUMNS_COPIED; part++) {
    parts[part] = sqlite3_column_blob(reader->statement, part + 1);
    counts[part] = (size_t)sqlite3_column_bytes(reader->statement, part + 1);
    total += counts[part];
  }
  uint8_t *target = space(reader, total);
  if (target == NULL) return -1;
  struct row *row = &reader->rows[reader->row_count++];
  *row = (struct row){sqlite3_column_int64(reader->statement, 0), target, counts[0], counts[1],
                      counts[2]};
  for (int part = 0; part < COLUMNS_COPIED; part++) {
    if (counts[part] > 0) memcpy(target, parts[part], counts[part]);
    target += counts[part];
  }
  return (int64_t)total;
}

int64_t slice_reader_read(struct slice_reader *reader, const char *feed, int64_t order,
                          const uint8_t *tie, size_t tie_bytes, int limit) {
  sqlite3_stmt *statement = reader->statement;
  forget_rows(reader);
  if (limit > ROWS_MAX ||
      sqlite3_bind_text(statement, 1, feed, -1, SQLITE_STATIC) != SQLITE_OK ||
      sqlite3_bind_int64(statement, 2, order) != SQLITE_OK ||
      sqlite3_bind_blob64(statement, 3, tie, tie_bytes, SQLITE_STATIC) != SQLITE_OK ||
      sqlite3_bind_int64(statement, 4, INT64_MIN) != SQLITE_OK ||
      sqlite3_bind_zeroblob(statement, 5, 0) != SQLITE_OK ||
      sqlite3_bind_int(statement, 6, limit) != SQLITE_OK) {
    return -1;
  }
  int64_t total = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    int64_t bytes = copy_row(reader);
    if (bytes < 0) break;
    total += bytes;
  }
  sqlite3_reset(statement);
  return code == SQLITE_DONE ? total : -1;
}

void slice_reader_close(struct slice_reader *reader) {
  forget_rows(reader);
  free(reader->buffer);
  sqlite3_finalize(reader->statement);
  sqlite3_close_v2(reader->database);
  free(reader);
}

#pragma once
#include <stddef.h>
#include <stdint.h>

// Reads slices with sqlite3 alone, as a program in C would: the yardstick of the benchmark.
struct slice_reader;

// How the rows read are given to the caller.
enum slice_copying {
  // All bytes are copied into one buffer that is used again for every slice.
  SLICE_ONE_BUFFER,
  // Each row's bytes are copied into a block of its own, which the caller may keep and has to
  // free; the reader frees those of a slice at the next.
  SLICE_BLOCK_PER_ROW,
};

// Opens the file at `path` for reading, runs `setup` and prepares `sql`. NULL when it cannot.
struct slice_reader *slice_reader_open(const char *path, const char *setup, const char *sql,
                                       enum slice_copying copying);

// Reads a slice of `feed` below the cut (`order`, `tie`). Returns how many bytes its rows have,
// identities, ties and contents together, or -1 on an error.
int64_t slice_reader_read(struct slice_reader *reader, const char *feed, int64_t order,
                          const uint8_t *tie, size_t tie_bytes, int limit);

// Releases the reader.
void slice_reader_close(struct slice_reader *reader);

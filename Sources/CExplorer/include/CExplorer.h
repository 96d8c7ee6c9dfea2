#ifndef CEXPLORER_H
#define CEXPLORER_H

#include <stddef.h>

/// Bytes of the program's own file.
typedef struct {
  const unsigned char *bytes;
  size_t count;
} ExplorerPart;

/// The page's frame without its style and script.
ExplorerPart explorer_frame(void);
/// The text of its style element.
ExplorerPart explorer_style(void);
/// The text of its script element.
ExplorerPart explorer_script(void);

#endif

// The page in the program's file, read only and shared with it: its parts by subject, in the order
// in which they stand in the page. Begin to read it at page/begin.js.

#include "CExplorer.h"

static const unsigned char frame[] = {
#embed "page/frame.html"
};

static const unsigned char style[] = {
#embed "page/base.css"
  ,
#embed "page/feed.css"
  ,
#embed "page/map.css"
  ,
#embed "page/why.css"
  ,
#embed "page/media.css"
};

static const unsigned char script[] = {
#embed "page/begin.js"
  ,
#embed "page/elements.js"
  ,
#embed "page/words.js"
  ,
#embed "page/line.js"
  ,
#embed "page/requests.js"
  ,
#embed "page/events.js"
  ,
#embed "page/items.js"
  ,
#embed "page/drawer.js"
  ,
#embed "page/copy.js"
  ,
#embed "page/copy-type.js"
  ,
#embed "page/feed.js"
  ,
#embed "page/feed-edges.js"
  ,
#embed "page/feed-live.js"
  ,
#embed "page/map.js"
  ,
#embed "page/map-drawing.js"
  ,
#embed "page/why.js"
  ,
#embed "page/why-cases.js"
  ,
#embed "page/server.js"
  ,
#embed "page/home.js"
  ,
#embed "page/api.js"
  ,
#embed "page/keys.js"
  ,
#embed "page/main.js"
};

ExplorerPart explorer_frame(void) { return (ExplorerPart){frame, sizeof frame}; }
ExplorerPart explorer_style(void) { return (ExplorerPart){style, sizeof style}; }
ExplorerPart explorer_script(void) { return (ExplorerPart){script, sizeof script}; }

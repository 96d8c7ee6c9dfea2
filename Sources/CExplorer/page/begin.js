'use strict';
// The explorer: what this server knows, read from its own public JSON and from nowhere else.
//
// Where to begin: main.js reads the address and makes a view; each view is a class in a file of its
// own. Below them stand elements.js (an element from a tag and its text), requests.js (one request,
// the key) and events.js (what changes, live). All files are one script: see explorer.c for their
// order.
//
// Rules: what an upstream sent becomes text, never markup (Trusted Types hold this). The address is
// the state of the page. Nothing that is read moves under the reader. Nobody listens unseen.

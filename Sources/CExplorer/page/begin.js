'use strict';
// The explorer: what this server knows, read from its own public JSON alone. main.js makes a view
// from the address; explorer.c has the order of the files. What an upstream sent becomes text,
// never markup (Trusted Types hold this). Nothing that is read moves under the reader.

'use strict';
// The explorer: what this server knows, read from its own public JSON and from nowhere else.
//
// main.js reads the address and makes a view: a class in a file of its own. All files are one
// script, in the order of explorer.c. What an upstream sent becomes text, never markup (Trusted
// Types hold this). The address is the page's state. Nothing that is read moves under the reader.

// Feed

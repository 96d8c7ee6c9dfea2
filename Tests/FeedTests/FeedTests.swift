import Testing

@testable import Feed

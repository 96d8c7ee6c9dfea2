import Testing

@testable import JSONBytes
